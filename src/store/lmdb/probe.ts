import { openUnmarked } from './open-store.ts';

// Run by opening.ts in a process of its own: ends with 0 when the store in the folder given opens.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new RangeError('probe needs a folder');
const store = await openUnmarked(folder, false);
await store.close();
