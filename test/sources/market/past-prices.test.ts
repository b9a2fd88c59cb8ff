import assert from 'node:assert/strict';
import { NEVER } from 'rxjs';
import { readPastPrices } from '../../../src/sources/market/past-prices.ts';
import type { EventFact } from '../../../streams/internal.ts';
import { FAST, localEndpoints } from '../../support/endpoints.ts';
import { event, partition } from '../../support/facts.ts';
import { fakeLookups, sourceStage } from '../../support/source-run.ts';

const HOUR_S = 3_600;
const START_S = Date.UTC(2026, 3, 3, 16) / 1000;
const END_S = START_S + 2 * 24 * HOUR_S;

/** An event of two days with so many buckets. */
function listed(buckets: number): EventFact {
  const [first] = partition();
  assert.ok(first);
  return event({
    startAt: START_S * 1000,
    endAt: END_S * 1000,
    isClosed: true,
    buckets: Array.from({ length: buckets }, (_, index) => ({ ...first, yesToken: String(1_000 + index) })),
  });
}

describe('readPastPrices', () => {
  const stage = sourceStage(() => undefined);
  const silent = { name: 'events', silentAfterMs: 1_000, run: () => NEVER };

  async function read(fact: EventFact) {
    const run = stage.run(silent, fakeLookups());
    const signal = new AbortController().signal;
    const facts = await readPastPrices(fact, localEndpoints(stage.server), FAST, run.context, signal);
    return { facts, refusals: run.refusals };
  }

  /** Answers each request with the rows that `rowsOf` gives, with times relative to the end that was asked for. */
  function answer(rowsOf: (token: string) => readonly (readonly [number, number])[]) {
    const asked: { readonly markets: readonly string[]; readonly end_ts: number }[] = [];
    stage.server.answer(({ body }) => {
      const request = JSON.parse(body);
      asked.push(request);
      const rows = (token: string) => rowsOf(token).map(([afterS, p]) => ({ t: request.end_ts + afterS, p }));
      return { history: Object.fromEntries(request.markets.map((token: string) => [token, rows(token)])) };
    });
    return asked;
  }

  it('takes the last price of each bucket that was known at the instant, never one from after it', async () => {
    answer((token) => {
      if (token === '1000')
        return [
          [-120, 0.1],
          [0, 0.25],
          [1, 0.9],
          [-60, 0.2],
        ];
      return token === '1001' ? [[1, 0.9]] : [[-121, 0.4]];
    });
    const { facts, refusals } = await read(listed(3));
    assert.deepEqual(
      facts.map(({ at, prices }) => [(END_S * 1000 - at) / 1000 / HOUR_S, prices]),
      [
        [24, [0.25, null, null]],
        [48, [0.25, null, null]],
      ],
    );
    assert.deepEqual(refusals, []);
  });

  it('asks for twenty tokens at a time, up to the instant', async () => {
    const asked = answer(() => [[0, 0.5]]);
    const { facts } = await read(listed(45));
    assert.deepEqual(
      asked.map(({ markets, end_ts }) => [markets.length, (END_S - end_ts) / HOUR_S]),
      [
        [20, 24],
        [20, 24],
        [5, 24],
        [20, 48],
        [20, 48],
        [5, 48],
      ],
    );
    assert.equal(facts[0]?.prices.length, 45);
  });

  it('leaves prices unknown when they cannot be read, and tells it', async () => {
    stage.server.answer(() => ({ history: { '1000': [{ t: 'soon', p: 2 }] } }));
    const { facts, refusals } = await read(listed(2));
    assert.deepEqual([facts, refusals.length], [[], 1]);
  });

  it('knows none where the host has none', async () => {
    stage.server.answer((_, response) => {
      response.statusCode = 404;
      return { error: 'not found' };
    });
    assert.deepEqual(await read(listed(2)), { facts: [], refusals: [] });
  });
});
