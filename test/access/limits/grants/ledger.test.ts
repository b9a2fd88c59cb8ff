import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../../../src/access/limits/grants/ledger.ts';
import type {
  Answer,
  EngineMessage,
  LedgerEvent,
  Request,
} from '../../../../src/access/limits/grants/messages.ts';
import { LEDGER_KEPT_MS, VALID_MS } from '../../../../src/access/limits/grants/rules.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../streams/internal.ts';

const START = Date.UTC(2026, 0, 1, 12);
const SETTINGS = { places: 4, placeMs: 10 * MINUTE_MS };
const EDGES = ['one', 'two', 'three', 'four'];

interface Run {
  readonly ledger: Ledger;
  readonly events: LedgerEvent[];
  request(fields: Partial<Request>, now?: number): readonly EngineMessage[];
  /** The answer alone. */
  ask(fields: Partial<Request>, now?: number): Answer;
}

/** A ledger whose events are kept, with all four edges enrolled unless said otherwise. */
function start(edges: readonly string[] = EDGES): Run {
  const ledger = createLedger(SETTINGS);
  const events: LedgerEvent[] = [];
  for (const edge of edges) events.push(...ledger.receive({ kind: 'hello', edge, sentAt: 0 }, START).events);
  const request = (fields: Partial<Request>, now = START) => {
    const base = { kind: 'ask', edge: 'one', caller: 'a:c', limit: 100, n: 1, sentAt: 0 } as const;
    const outcome = ledger.receive({ ...base, spent: [], held: 0, reserve: 12, ...fields }, now);
    events.push(...outcome.events);
    return outcome.messages;
  };
  const ask = (fields: Partial<Request>, now = START) => {
    const answer = request(fields, now)[0];
    assert.ok(answer !== undefined && answer.kind !== 'welcome' && answer.kind !== 'recall');
    return answer;
  };
  return { ledger, events, request, ask };
}

function countOf(answer: Answer): number {
  return answer.kind === 'granted' ? answer.count : 0;
}

describe('createLedger', () => {
  it('grants a twentieth of the limit, less when little is free, and at least one call', () => {
    const { ask } = start();
    const given: number[] = [];
    let reserve = 12;
    for (let n = 1; n <= 40; n++) {
      // Everything is spent by then, and the other edges have given up their reserves.
      for (const edge of EDGES.slice(1)) ask({ kind: 'report', edge, n, reserve: 0 });
      const answer = ask({ n, reserve, spent: [[START, given.at(-1) ?? 0]] });
      given.push(countOf(answer));
      reserve = answer.reserve;
    }
    assert.deepEqual(given.slice(0, 13), [5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    assert.deepEqual(given.slice(13, 20), [4, 3, 3, 3, 2, 2, 2]);
    assert.equal(
      given.reduce((sum, count) => sum + count, 0),
      100,
    );
    const { ask: askForMore } = start();
    assert.equal(countOf(askForMore({ limit: 10_000, reserve: 1_250 })), 500);
    assert.equal(countOf(askForMore({ caller: 'a:d', limit: 3, reserve: 0 })), 1);
  });

  it('sets aside an eighth of a limit for each of four edges, and asks for it before it is needed', () => {
    const { request } = start();
    const counts: number[] = [];
    const recalled = new Map<string, number>();
    let [reserve, last] = [12, ''];
    for (let n = 1; counts.at(-1) !== 0; n++) {
      for (const message of request({ n, reserve, spent: [[START, counts.at(-1) ?? 0]] })) {
        if (message.kind === 'recall') recalled.set(message.edge, counts.length);
        else if (message.kind !== 'welcome') {
          counts.push(countOf(message));
          reserve = message.reserve;
          last = message.kind;
        }
      }
    }
    assert.deepEqual([...recalled.keys()], EDGES.slice(1));
    assert.ok(Math.max(...recalled.values()) < counts.length - 1);
    // The three others were asked to give back and have not answered.
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      100 - 3 * 12,
    );
    assert.equal(last, 'recalling');
  });

  it('asks edges for what they hold when nothing else is left', () => {
    const { request, ask } = start();
    ask({ kind: 'report', caller: 'a:x', reserve: 0, spent: [[START, 95]] });
    for (const edge of EDGES.slice(1)) ask({ edge, caller: 'a:x', kind: 'report', reserve: 0 });
    assert.deepEqual(
      request({ caller: 'a:x', n: 2, reserve: 0 }).map(({ kind }) => kind),
      ['granted'],
    );
    assert.equal(countOf(ask({ caller: 'a:x', edge: 'two', n: 2, reserve: 0, spent: [[START, 4]] })), 0);
    const [answer, ...recalls] = request({ caller: 'a:x', edge: 'three', n: 2, reserve: 0 }, START + 60);
    assert.equal(answer?.kind, 'recalling');
    assert.deepEqual(recalls, [
      { kind: 'recall', edge: 'one', caller: 'a:x', limit: 100, held: 0, reserve: 0 },
    ]);
    ask({ kind: 'report', caller: 'a:x', n: 3, reserve: 0 }, START + 61);
    assert.equal(countOf(ask({ caller: 'a:x', edge: 'three', n: 3, reserve: 0 }, START + 62)), 1);
  });

  it('goes on without an edge that does not give back', () => {
    const { ask } = start();
    ask({ kind: 'report', reserve: 0, spent: [[START, 99]] });
    for (const edge of EDGES.slice(1)) ask({ edge, kind: 'report', reserve: 0 });
    ask({ n: 2, reserve: 0 });
    const kinds = [0, 20, 100, 249, 250, 999].map(
      (ms, index) => ask({ edge: 'two', n: 2 + index, reserve: 0 }, START + ms).kind,
    );
    assert.deepEqual(kinds, ['recalling', 'recalling', 'recalling', 'recalling', 'refused', 'refused']);
  });

  it('answers a repeated request alike and counts it once, and ignores an older one', () => {
    const { ask, request, ledger } = start();
    const first = ask({ n: 2, sentAt: 5 });
    const again = ask({ n: 2, sentAt: 9 }, START + 300);
    assert.deepEqual(again, { ...first, sentAt: 9, at: START + 300 });
    assert.deepEqual(request({ n: 1 }, START + 301), []);
    assert.equal(ask({ edge: 'two', kind: 'report' }, START + 302).free, 95);
    assert.equal(ledger.callers(START + 303), 1);
  });

  it('counts what was spent for an hour from when it was, and what came back not at all', () => {
    const { ask } = start(['one']);
    ask({});
    ask({ kind: 'report', n: 2, spent: [[START + 7, 2]] }, START + VALID_MS);
    assert.equal(ask({ kind: 'report', n: 3 }, START + 6 + HOUR_MS).free, 98);
    assert.equal(ask({ kind: 'report', n: 4 }, START + 7 + HOUR_MS).free, 100);
  });

  it('counts what nobody told of for an hour after the minute it could be spent in', () => {
    const { ask } = start(['one', 'two']);
    assert.equal(countOf(ask({})), 5);
    const report = { edge: 'two', kind: 'report' } as const;
    assert.equal(ask({ ...report, n: 1 }, START + VALID_MS + HOUR_MS - 1).free, 95);
    assert.equal(ask({ ...report, n: 2 }, START + VALID_MS + HOUR_MS).free, 100);
  });

  it('takes back a call that was reported before', () => {
    const { ask } = start(['one']);
    ask({});
    ask({ kind: 'report', n: 2, spent: [[START + 7, 2]] }, START + 100);
    assert.equal(ask({ kind: 'report', n: 3, spent: [[START + 7, -1]] }, START + 200).free, 99);
  });

  it('says when there is more to a caller who has used up the hour', () => {
    const { ask } = start(['one']);
    const answer = ask(
      {
        reserve: 0,
        spent: [
          [START - 1_000, 1],
          [START, 99],
        ],
      },
      START + 5,
    );
    assert.equal(answer.kind, 'refused');
    assert.equal(answer.freeAt, START - 1_000 + HOUR_MS);
  });

  it('remembers nothing of a caller who is refused again and again', () => {
    const { ask, events } = start(['one']);
    ask({ reserve: 0, spent: [[START, 100]] });
    const known = events.length;
    for (let n = 2; n < 100; n++) assert.equal(ask({ n, reserve: 0 }, START + n).kind, 'refused');
    assert.equal(events.length, known);
  });

  it('gives an edge that comes later no reserve for unknown callers within the hour', () => {
    const { ledger, ask } = start(['one']);
    ask({});
    const hello = (edge: string, now: number) => {
      const [welcome] = ledger.receive({ kind: 'hello', edge, sentAt: 0 }, now).messages;
      assert.ok(welcome?.kind === 'welcome');
      return welcome;
    };
    assert.equal(hello('one', START + 1).reserveFrom, START);
    const { parts, reserveFrom } = hello('two', START + 1);
    assert.equal(parts, 8);
    assert.ok(reserveFrom > START + HOUR_MS + VALID_MS);
    hello('three', START + 1);
    hello('four', START + 1);
    assert.equal(hello('five', START + 1).until, 0);
    ledger.receive({ kind: 'leave', edge: 'two' }, START + 2);
    assert.ok(hello('five', START + 3).until > START);
  });

  it('keeps the place of an edge that fell silent until nothing of it counts', () => {
    const { ledger } = start();
    const placeOfFifth = (now: number) => {
      const [welcome] = ledger.receive({ kind: 'hello', edge: 'five', sentAt: 0 }, now).messages;
      return welcome?.kind === 'welcome' && welcome.until > 0;
    };
    assert.equal(placeOfFifth(START + SETTINGS.placeMs + HOUR_MS - 1), false);
    assert.equal(placeOfFifth(START + SETTINGS.placeMs + HOUR_MS), true);
  });

  it('forgets callers of whom nothing counts', () => {
    const { ledger, ask } = start();
    for (let caller = 0; caller < 50; caller++) ask({ caller: `a:${caller}` });
    assert.equal(ledger.callers(START + LEDGER_KEPT_MS - 1), 50);
    assert.equal(ledger.callers(START + LEDGER_KEPT_MS), 0);
  });

  const anyStep = fc.record(
    {
      kind: fc.constantFrom('ask', 'report'),
      edge: fc.constantFrom(...EDGES),
      caller: fc.constantFrom('a:c', 'k:d'),
      pauseMs: fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: HOUR_MS })),
      keeps: fc.nat({ max: 5 }),
      spends: fc.nat({ max: 10 }),
      isRepeated: fc.boolean(),
    },
    { noNullPrototype: true },
  );

  it('answers after a restart as if there had been none', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), fc.nat({ max: 60 }), (steps, restartAt) => {
        const live = start();
        let restored = live.ledger;
        let [now, n] = [START, 0];
        for (const [index, { kind, edge, caller, pauseMs, keeps, spends, isRepeated }] of steps.entries()) {
          // A message lives for less than an hour.
          now += isRepeated ? Math.min(pauseMs, 100) : pauseMs;
          if (index === restartAt) {
            restored = createLedger(SETTINGS);
            const stored: LedgerEvent[] = JSON.parse(JSON.stringify(live.events));
            restored.restore(stored.filter(({ at }) => at > now - LEDGER_KEPT_MS));
            // Which edges were asked to give back is not stored; after a second they are asked anew anyway.
            now += 1_000;
          }
          if (!isRepeated) n += 1;
          const spent: [number, number][] = spends === 0 ? [] : [[now, spends]];
          const request = { kind, edge, caller, limit: 100, n, sentAt: now, spent, held: keeps, reserve: 0 };
          const outcome = live.ledger.receive(request, now);
          live.events.push(...outcome.events);
          if (restored !== live.ledger) assert.deepEqual(restored.receive(request, now), outcome);
        }
      }),
      { numRuns: 200 },
    );
  });
});
