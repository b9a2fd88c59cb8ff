import assert from 'node:assert/strict';
import { audienceOf } from '../../../src/views/audience.ts';
import { createLatest } from '../../../src/views/latest.ts';
import { isMoved } from '../../../src/views/record-view.ts';
import { signalsView } from '../../../src/views/records/signals.ts';
import { accountPath } from '../../support/accounts.ts';
import {
  bucketSignal,
  countersOutput,
  eventOutput,
  NOON,
  postOutput,
  signalsOutput,
} from '../../support/outputs.ts';

const AGES = { posts: 1, oracle: 2, ui: 3, prices: 4 };

describe('signalsView, as the feed stores it', () => {
  const view = signalsView(accountPath('a'));
  const latest = createLatest();
  latest.load([eventOutput(), signalsOutput()]);
  const stored = view.facts?.write({ latest, late: [] }, '1', AGES) ?? '';
  const rendered = (text: string, bankrollUsd: number) =>
    JSON.parse(view.facts?.render(text, audienceOf('bankroll', 'PRO', { bankrollUsd })) ?? '');

  it('is sized for the reader when it is read', () => {
    assert.equal(rendered(stored, 1_000).signals[0].suggested_bet, 40.7);
    assert.equal(rendered(stored, 100).signals[0].suggested_bet, 4.07);
    assert.deepEqual(rendered(stored, 100).as_of.ages_ms, AGES);
  });

  it('gives no signals from what another version stored', () => {
    const { form: _form, crossings: _crossings, ...older } = JSON.parse(stored);
    const { event_id, signals, BUY, crossings } = rendered(JSON.stringify(older), 1_000);
    assert.deepEqual([event_id, signals, BUY, crossings], [1, [], [], []]);
  });
});

describe('the crossings of signalsView', () => {
  const view = signalsView(accountPath('a'));
  const reader = audienceOf('bankroll', 'PRO', {});
  const latest = createLatest();
  latest.load([
    eventOutput(),
    signalsOutput({ buckets: [bucketSignal({ standing: 'passed', bidSize: 100 })] }, { seq: 2 }),
    countersOutput({ real: 20, oracle: 19, settlementDelta: 1 }, { seq: 3 }),
    postOutput({ seenAt: NOON - 5_000 }, { seq: 3 }),
  ]);

  it('are the same over REST and as the feed stores them, with the instant that they are of', () => {
    const shown = JSON.parse(
      `${view.render({ latest, late: [] }, '1', reader)?.({ nowMs: NOON, tickAt: NOON })}null}}`,
    );
    const stored = view.facts?.write({ latest, late: [] }, '1', AGES) ?? '';
    const sent = JSON.parse(view.facts?.render(stored, reader) ?? '');
    assert.deepEqual(sent.crossings, shown.crossings);
    assert.deepEqual(
      shown.crossings.map(({ kind, since_ts }: { kind: string; since_ts: number }) => [kind, since_ts]),
      [['count_left_bucket', NOON - 5_000]],
    );
    assert.equal(shown.as_of.seq, 3);
  });

  it('are none while an input is late', () => {
    const text = view.render({ latest, late: ['oracle'] }, '1', reader)?.({ nowMs: NOON, tickAt: NOON });
    assert.deepEqual(JSON.parse(`${text}null}}`).crossings, []);
  });

  it('do not follow posts of the history', () => {
    const old = postOutput({ createdAt: NOON - 3 * 86_400_000 });
    assert.equal(isMoved(view, old, latest, 'PRO'), false);
    assert.equal(isMoved(view, postOutput(), latest, 'PRO'), true);
  });
});
