import assert from 'node:assert/strict';
import { topicsOf } from '../../../src/feed/channels.ts';
import { createMarker } from '../../../src/feed/log/marks.ts';
import { createLatest } from '../../../src/views/latest.ts';
import type { Output } from '../../../streams/internal.ts';
import { ACCOUNTS } from '../../support/accounts.ts';
import {
  countersOutput,
  decisionOutput,
  eventOutput,
  freshnessOutput,
  lagOutput,
  NOON,
  predictionOutput,
  priceOutput,
  scoreOutput,
  signalsOutput,
  spotOutput,
  velocityOutput,
} from '../../support/outputs.ts';

const TOPICS = topicsOf(ACCOUNTS);

const CRYPTO = eventOutput({
  eventId: 7,
  slug: 'coin-up-or-down',
  subject: { type: 'crypto', symbol: 'BTC', kind: 'UP_DOWN', referencePrice: null },
});
const OF_A = eventOutput({ eventId: 1, subject: { type: 'posts', account: 'a' } });
const OF_B = eventOutput({ eventId: 2, subject: { type: 'posts', account: 'b' } });
const CLOSED = eventOutput({ eventId: 3, phase: 'closed', subject: { type: 'posts', account: 'a' } });

/** `topic key cause` of every mark, sorted. */
function marksOf(output: Output, ...before: readonly Output[]): readonly string[] {
  const latest = createLatest();
  latest.load([OF_A, OF_B, CLOSED, CRYPTO, ...before]);
  const marker = createMarker(latest, TOPICS);
  latest.apply([output], 9, NOON);
  return marker(output)
    .map(({ topic, key, cause }) => `${topic.storedAs} ${key} ${cause}`)
    .sort();
}

describe('createMarker', () => {
  it('marks the counters, the prediction and the signals of an event whose count moved, and no other account', () =>
    assert.deepEqual(marksOf(countersOutput({ eventId: 1, account: 'a' }, { cause: 'oracle' })), [
      'counters/account_a 1 oracle',
      'prediction/account_a 1 oracle',
      'prediction/account_a FREE 1 oracle',
      'signals/account_a 1 oracle',
    ]));

  it('marks an event under its account alone', () =>
    assert.deepEqual(marksOf({ ...OF_B, cause: 'event_closed' }), [
      'counters/account_b 2 event_closed',
      'crypto 2 event_closed',
      'prediction/account_b 2 event_closed',
      'prediction/account_b FREE 2 event_closed',
      'signals/account_b 2 event_closed',
    ]));

  it("marks an event that has become another account's under both", () =>
    assert.deepEqual(marksOf({ ...OF_B, key: '1', record: { ...OF_B.record, eventId: 1 } }), [
      'counters/account_a 1 event_opened',
      'counters/account_b 1 event_opened',
      'crypto 1 event_opened',
      'prediction/account_a 1 event_opened',
      'prediction/account_a FREE 1 event_opened',
      'prediction/account_b 1 event_opened',
      'prediction/account_b FREE 1 event_opened',
      'signals/account_a 1 event_opened',
      'signals/account_b 1 event_opened',
    ]));

  it('marks the records with a price: predictions of posts, crypto events of coins', () => {
    const place = { cause: 'price' } as const;
    assert.deepEqual(marksOf(priceOutput({ eventId: 2 }, place)), [
      'prediction/account_b 2 price',
      'prediction/account_b FREE 2 price',
    ]);
    assert.deepEqual(marksOf(priceOutput({ eventId: 7 }, place)), ['crypto 7 price']);
    assert.deepEqual(marksOf(priceOutput({ eventId: 404 }, place)), []);
  });

  it('marks the crypto events of a coin whose price moved, and none of another coin', () => {
    assert.deepEqual(marksOf(spotOutput({ symbol: 'BTC' }, { cause: 'spot' })), ['crypto 7 price']);
    assert.deepEqual(marksOf(spotOutput({ symbol: 'ETH' }, { cause: 'spot' })), []);
  });

  it('marks a forecast that is shown, and none that is kept to be scored', () => {
    const shown = predictionOutput({ eventId: 1 }, { cause: 'model' });
    assert.deepEqual(marksOf(shown), ['prediction/account_a 1 model', 'signals/account_a 1 model']);
    assert.deepEqual(marksOf({ ...shown, key: '1/24' }), []);
  });

  it('adds that the account fell asleep or woke up since the forecast before', () => {
    const awake = predictionOutput({ eventId: 1, sleepProbability: 0.1 }, { cause: 'model' });
    const asleep = predictionOutput({ eventId: 1, sleepProbability: 0.9 }, { cause: 'model' });
    const one = ['prediction/account_a 1 model', 'signals/account_a 1 model'];
    const both = [...one, 'prediction/account_a 1 sleep_state'].sort();
    assert.deepEqual(marksOf(asleep, awake), both);
    assert.deepEqual(marksOf(awake, asleep), both);
    assert.deepEqual(marksOf(asleep, asleep), one);
    assert.deepEqual(marksOf(asleep), one, 'the first says nothing of a change');
  });

  it('marks the pace of an account, its signals and, where it is a field of them, its active predictions', () => {
    assert.deepEqual(marksOf(velocityOutput({ account: 'a' }, { cause: 'clock' })), [
      'prediction/account_a 1 clock',
      'signals/account_a 1 clock',
      'velocity/account_a account_a clock',
    ]);
    assert.deepEqual(marksOf(velocityOutput({ account: 'b' }, { cause: 'clock' })), [
      'signals/account_b 2 clock',
      'velocity/account_b account_b clock',
    ]);
  });

  it('marks signals with the prediction that shows them, and all of an account that was scored', () => {
    assert.deepEqual(marksOf(signalsOutput({ eventId: 1, account: 'a' }, { cause: 'price' })), [
      'prediction/account_a 1 price',
      'signals/account_a 1 price',
    ]);
    assert.deepEqual(marksOf(scoreOutput({ account: 'a' }, { cause: 'oracle' })), [
      'signals/account_a 1 oracle',
    ]);
  });

  it('marks the lag of an account with its signals, and with a tick the test record alone', () => {
    assert.deepEqual(marksOf(lagOutput({ account: 'b' }, { cause: 'new_post' })), [
      'lag/account_b account_b new_post',
      'signals/account_b 2 new_post',
    ]);
    assert.deepEqual(marksOf(freshnessOutput({})), ['test test clock']);
  });

  it('marks nothing for outputs that no record shows', () => assert.deepEqual(marksOf(decisionOutput()), []));
});
