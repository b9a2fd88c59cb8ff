import assert from 'node:assert/strict';
import { recordedBacktest } from '../../../src/research/recorded/recorded-backtest.ts';
import { recordedText, verdictOf } from '../../../src/research/recorded/recorded-table.ts';
import { verify } from '../../../src/research/verify.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import { withStore } from '../small-log.ts';
import { FIRST_AT, keep, recordedLog } from './recorded-log.ts';

const OPTIONS = {
  bankrollUsd: 1_000,
  latencyMs: 500,
  onProgress: () => {},
  signal: new AbortController().signal,
};

describe('a backtest of what was recorded', () => {
  it('scores model and market at the same instants, and trades', async () => {
    await withStore(async (store) => {
      await keep(store, recordedLog([1, 1, 2]));
      assert.equal((await verify(store, { simulations: 0 })).difference, null);
      const result = await recordedBacktest(store, OPTIONS);
      const { scores, trading, fills, samples, log } = result;
      assert.equal(log.lastSeq, store.journal.head);
      assert.match(log.sha256, /^[0-9a-f]{64}$/);
      assert.deepEqual(Object.keys(scores.by_horizon), ['1', '2', '3', '6', '12', '24']);
      assert.equal(scores.scored, 18);
      assert.equal(scores.overall?.against_market?.n, 18);
      assert.equal(scores.overall?.against_market?.events, 3);
      const against = scores.overall?.against_market;
      assert.ok(against?.difference_interval && against.pool_less_market_interval);
      assert.ok(
        Math.abs(against.pool_less_market - (against.pool.log_score - against.market.log_score)) < 1e-9,
      );
      assert.ok(
        Math.abs(against.pool_less_model - (against.pool.log_score - against.model.log_score)) < 1e-9,
      );
      for (const { market } of samples) {
        assert.ok(market !== null && Math.abs(market.reduce((sum, each) => sum + each, 0) - 1) < 1e-9);
      }
      assert.deepEqual(
        trading.map(({ strategy }) => strategy),
        ['signals', 'buy-the-favourite', 'sell-the-favourite', 'hold-cash'],
      );
      const [signals, favourite, opposite, cash] = trading;
      assert.ok(signals && signals.fills > 0 && signals.bets > 0 && signals.open_bets === 0);
      // The favourite won two of three times, and only one of the two can have gained in an event.
      assert.equal(favourite?.bets, 3);
      assert.equal(favourite?.hit_rate, 2 / 3);
      assert.equal(opposite?.hit_rate, 1 / 3);
      assert.deepEqual([cash?.pnl_usd, cash?.fills, cash?.max_drawdown], [0, 0, 0]);
      for (const fill of fills) {
        assert.equal(fill.at - fill.decidedAt, OPTIONS.latencyMs);
        assert.ok(fill.bookAgeMs <= 120_000);
        assert.ok(fill.shares <= 200);
      }
      assert.match(verdictOf(result), /^(No edge|The model was (better|worse))/);
      assert.match(recordedText(result), /hours left .*\nall .*\n1 /);
    });
  });

  it('gives the same twice, and the same orders whatever comes after them', async () => {
    const run = async (winners: readonly number[], toAt?: number) => {
      let found: Awaited<ReturnType<typeof recordedBacktest>> | undefined;
      await withStore(async (store) => {
        await keep(store, recordedLog(winners));
        found = await recordedBacktest(store, { ...OPTIONS, toAt });
      });
      assert.ok(found);
      return found;
    };
    const whole = await run([1, 0]);
    assert.deepEqual(await run([1, 0]), whole);
    // The second event ends otherwise; until it does nothing may differ.
    const closeAt = FIRST_AT + (26 + 4 + 26) * HOUR_MS;
    const early = (result: typeof whole) => result.fills.filter(({ at }) => at < closeAt);
    assert.deepEqual(early(await run([1, 2])), early(whole));
    assert.deepEqual(early(await run([1, 0], closeAt)), early(whole));
    assert.ok(early(whole).length > 0);
  });

  it('places no order and scores no forecast before the time asked for', async () => {
    await withStore(async (store) => {
      await keep(store, recordedLog([1, 1]));
      const fromAt = FIRST_AT + 30 * HOUR_MS;
      const { samples, fills } = await recordedBacktest(store, { ...OPTIONS, fromAt });
      assert.ok(samples.length > 0 && samples.every(({ at, eventId }) => at >= fromAt && eventId === 2));
      assert.ok(fills.length > 0 && fills.every(({ decidedAt }) => decidedAt >= fromAt));
    });
  });

  it('has no verdict on an empty folder', async () => {
    await withStore(async (store) => {
      const result = await recordedBacktest(store, OPTIONS);
      assert.equal(
        verdictOf(result),
        'No verdict: of 0 forecasts 0 have an outcome yet. signals made no bet.',
      );
    });
  });
});
