import { setImmediate as nextTurn } from 'node:timers/promises';
import { openAlerts } from '../../src/alerts/alerts.ts';
import { alertBody } from '../../src/contract/alert-rule.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { createRng } from '../../src/world/rng.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { sendToParent } from '../support/child.ts';
import { eventually } from '../support/eventually.ts';
import { NOON } from '../support/outputs.ts';
import { deltasOf, outputsAt, RULES } from './alerts-life.ts';

/** Stores and publishes what is observed from where the last process ended, and delivers alerts. Ends when all are delivered. */
const [folder = '', url = '', seed = '', last = ''] = process.argv.slice(2);
const deltas = deltasOf(Number(seed), Number(last));
const store = await openStore(folder);
await store.outputs.prepare();
const latest = createLatest(store.outputs);
latest.loadFrom(store.outputs);
const alerts = await openAlerts({
  stored: store.alerts,
  outputs: store.outputs,
  latest,
  accounts: ACCOUNTS,
  configured: RULES.map(({ id, least, rearm }) => ({
    id,
    ...alertBody.parse({
      account: 'account_a',
      when: `settlement_delta >= ${least}`,
      rearm,
      target: { type: 'webhook', url: `${url}/${id}`, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    }),
  })),
  isAdmitted: () => true,
  allowsPrivate: true,
  times: { firstMs: 1, longestMs: 20, tries: 1_000_000, timeoutMs: 1_000 },
  now: Date.now,
  mono: () => performance.now(),
  random: createRng('waits', seed).next,
  newId: () => 'unused',
  report(error) {
    throw error;
  },
});
for (let seq = store.outputs.upTo + 1; seq <= Number(last); seq++) {
  const outputs = outputsAt(deltas, seq);
  await store.outputs.append(outputs, seq);
  sendToParent({ seq });
  latest.apply(outputs, seq, NOON + seq);
  await nextTurn();
}
const expected = () => alerts.list().every(({ waiting }) => waiting === 0);
// Everything that was published is looked at before the rules say that nothing waits.
await alerts.remove('none').catch(() => undefined);
await eventually('all alerts are delivered', expected);
await alerts.stop();
await store.close();
process.disconnect?.();
