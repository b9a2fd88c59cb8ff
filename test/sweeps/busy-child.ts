import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readMeta } from '../support/api.ts';
import { tellParent } from '../support/child.ts';
import { openStage } from '../support/service.ts';

// An engine on a world that moves until the parent has counted as many updates as it wants each second.

const STEER_EVERY_MS = 50;
const POST_EVERY_MS = 2_500;
/** The trading page is asked without a pause: what it shows is how updates are made. */
const SOURCES = { postsPeriodMs: 500, uiPeriodMs: 10, uiFirstPeriodMs: 500, archivePauseMs: 1 };

const order = z.object({ toldUpdates: z.int(), wantedUpdates: z.int() });

const stage = await openStage({ startAt: Date.now(), sources: SOURCES });
const { control } = stage.world;
let missing = 0;
let isEnding = false;
process.on('message', (message) => {
  const { toldUpdates, wantedUpdates } = order.parse(message);
  missing = wantedUpdates - toldUpdates;
});
process.on('disconnect', () => {
  isEnding = true;
});
tellParent({ url: stage.url() });

let shown = 0;
let posts = 0;
const startedAt = performance.now();
while (!isEnding) {
  await delay(STEER_EVERY_MS);
  if (missing <= 0) continue;
  const [a, b] = await Promise.all(['account_a', 'account_b'].map((each) => readMeta(stage.url(), each)));
  for (const event of [...(a?.data ?? []), ...(b?.data ?? [])].slice(0, missing)) {
    // Another count than before: the same one is no update.
    const count = (event.real_counter ?? 0) - 1 - (shown++ % 7);
    control.setUiCount({ event: event.event_id, count: Math.max(0, count) });
  }
  if (performance.now() - startedAt > posts * POST_EVERY_MS) {
    posts += 1;
    control.post({ account: posts % 2 === 0 ? 'a' : 'b', text: `Number ${posts} of a busy day` });
  }
}
await stage.close();
