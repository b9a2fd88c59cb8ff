import { openDirectly } from './open-store.ts';

// Run by open-with-recovery.ts in a process of its own: exits with 0 when the store in the given folder opens.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new RangeError('open-check needs a folder');
const store = await openDirectly(folder, false);
await store.close();
