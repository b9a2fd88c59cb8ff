import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Output } from '../../streams/internal.ts';
import { sendToParent } from '../support/child.ts';
import { countersOutput, eventOutput, NOON, postOutput } from '../support/outputs.ts';
import { startFeed } from './feed-server.ts';

/** Serves a feed from a folder, and publishes posts and counts as fast as it can, until it is killed. */

const [, , folder = ''] = process.argv;
const store = await openStore(folder);
const kept = (['events', 'counters', 'posts'] as const).flatMap((stream): readonly Output[] =>
  store.outputs.latest(stream),
);
const server = await startFeed({ store, loaded: [eventOutput(), ...kept] });
sendToParent({ url: server.url });
for (let count = kept.length; ; count++) {
  await server.turn(postOutput({ id: String(count), createdAt: NOON }), countersOutput({ real: count }));
  if (count % 10 === 0) await server.tick();
}
