import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';
import { ticks, velocityAt } from '../../support/store-records.ts';

// Appends blocks of 1 to 20 observations and their outputs for ever, and reports what is acknowledged.
const [folder = ''] = process.argv.slice(2);
const store = await openStore(folder);
sendToParent({ head: store.journal.head, upTo: store.outputs.upTo });
for (let size = 1; ; size = (size % 20) + 1) {
  // What a crash left in the log without outputs is made up for first, as the engine does.
  const missing = [...store.journal.read(store.outputs.upTo + 1)];
  const block = missing.length > 0 ? [] : ticks(store.journal.head + 1, size);
  await store.journal.append(block);
  sendToParent({ head: store.journal.head, upTo: store.outputs.upTo });
  const outputs = [...missing, ...block].map(({ seq }) => velocityAt(seq));
  await store.outputs.append(outputs, store.journal.head);
  sendToParent({ head: store.journal.head, upTo: store.outputs.upTo });
}
