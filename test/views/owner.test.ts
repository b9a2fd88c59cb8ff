import assert from 'node:assert/strict';
import { createLatest } from '../../src/views/latest.ts';
import { ownerOf } from '../../src/views/owner.ts';
import { movedKeys } from '../../src/views/record-view.ts';
import { countersView } from '../../src/views/records/counters.ts';
import { lagView } from '../../src/views/records/lag.ts';
import { postsView } from '../../src/views/records/posts.ts';
import { predictionView } from '../../src/views/records/prediction.ts';
import { signalsView } from '../../src/views/records/signals.ts';
import { velocityView } from '../../src/views/records/velocity.ts';
import { createWatcher } from '../../src/views/watch.ts';
import type { Output } from '../../streams/internal.ts';
import { accountPath } from '../support/accounts.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  freshnessOutput,
  lagOutput,
  postOutput,
  predictionOutput,
  priceOutput,
  scoreOutput,
  signalsOutput,
  spotOutput,
  velocityOutput,
} from '../support/outputs.ts';

const EVENT_OF_B = eventOutput({
  eventId: 2,
  subject: { type: 'posts', account: 'b' },
  buckets: [bucket({ yesToken: 'yes-b' })],
});
const OF_B: readonly Output[] = [
  countersOutput({ eventId: 2, account: 'b' }),
  priceOutput({ eventId: 2, token: 'yes-b' }),
  predictionOutput({ eventId: 2, account: 'b' }),
  signalsOutput({ eventId: 2, account: 'b' }),
  scoreOutput({ eventId: 2, account: 'b' }),
  velocityOutput({ account: 'b' }),
  lagOutput({ account: 'b' }),
  postOutput({ account: 'b' }),
];
const VIEWS = [countersView, lagView, postsView, predictionView, signalsView, velocityView];

describe('ownerOf', () => {
  const latest = createLatest();
  latest.load([EVENT_OF_B]);

  it('names the account of every output that changes no record of another one', () => {
    for (const output of OF_B) {
      assert.equal(ownerOf(output, latest), 'b', output.stream);
      for (const view of VIEWS) {
        assert.equal(movedKeys(view(accountPath('a')), output, latest, 'PRO'), undefined, output.stream);
      }
    }
  });

  it('names nobody where an output may concern anyone', () => {
    const strangePrice = priceOutput({ eventId: 77, token: 'x' });
    for (const output of [EVENT_OF_B, freshnessOutput({}), spotOutput(), strangePrice]) {
      assert.equal(ownerOf(output, latest), undefined, output.stream);
    }
  });
});

describe('a watch of an account', () => {
  it('changes with outputs of the account and with those that may concern anyone, and sees no others', () => {
    const latest = createLatest();
    latest.load([EVENT_OF_B]);
    const watcher = createWatcher(latest);
    const asked: string[] = [];
    const watchAs = (name: string, account?: string) =>
      watcher.watch(({ stream }) => {
        asked.push(`${name} ${stream}`);
        return true;
      }, account);
    const [a, b, all] = [watchAs('a', 'a'), watchAs('b', 'b'), watchAs('all')];
    latest.apply([velocityOutput({ account: 'b' }, { seq: 5 })], 5, 1);
    assert.deepEqual(asked, ['b velocity', 'all velocity']);
    assert.deepEqual([a.changes, b.changes, all.changes], [0, 1, 1]);
    latest.apply([spotOutput({}, { seq: 6 })], 6, 1);
    assert.deepEqual([a.seq, b.seq, all.seq], [6, 6, 6]);
    latest.apply([freshnessOutput({}, { seq: 7 })], 7, 1);
    assert.deepEqual([a.changes, b.changes, all.changes], [1, 2, 2]);
    assert.deepEqual([a.revision, b.revision, all.revision], [2, 3, 3]);
    watcher.close();
  });
});
