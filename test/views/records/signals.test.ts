import assert from 'node:assert/strict';
import { audienceOf } from '../../../src/views/audience.ts';
import { createLatest } from '../../../src/views/latest.ts';
import { signalsView } from '../../../src/views/records/signals.ts';
import { accountPath } from '../../support/accounts.ts';
import { eventOutput, signalsOutput } from '../../support/outputs.ts';

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
    const { form: _form, ...older } = JSON.parse(stored);
    const { event_id, signals, BUY } = rendered(JSON.stringify(older), 1_000);
    assert.deepEqual([event_id, signals, BUY], [1, [], []]);
  });
});
