import assert from 'node:assert/strict';
import type { Verdict } from '../../../../src/access/limits/grants/caller-share.ts';
import { createEdgeGrants } from '../../../../src/access/limits/grants/edge-grants.ts';
import type {
  Answer,
  EdgeMessage,
  EngineMessage,
  Request,
} from '../../../../src/access/limits/grants/messages.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../streams/internal.ts';

/** The engine's time when the edge's own clock is at 0. */
const NOON = Date.UTC(2026, 0, 1, 12);
const CALL = { caller: 'a:c', limit: 100 };

/** An edge, and the messages it sent; the test plays the engine. */
function start({ isWelcome = true, reserveFrom = NOON, placeMs = 10 * MINUTE_MS, mostCallers = 10 } = {}) {
  const sent: EdgeMessage[] = [];
  const edge = createEdgeGrants({ edge: 'e', send: (message) => sent.push(message), mostCallers });
  const verdicts: Verdict['kind'][] = [];
  const take = (now: number, call = CALL) => {
    const verdict = edge.take(call, now, ({ kind }) => verdicts.push(kind));
    return verdict === 'waiting' ? verdict : verdict.kind;
  };
  const welcome = (now: number): EngineMessage => {
    const until = NOON + now + placeMs;
    return { kind: 'welcome', edge: 'e', sentAt: now, at: NOON + now, parts: 8, reserveFrom, until };
  };
  const lastRequest = (): Request => {
    const last = sent.findLast((message) => message.kind === 'ask' || message.kind === 'report');
    assert.ok(last?.kind === 'ask' || last?.kind === 'report');
    return last;
  };
  /** Answers the last request; it took a millisecond to the engine. */
  const answer = (now: number, fields: { count: number } | { kind: 'refused' | 'recalling' | 'noted' }) => {
    const { caller, n, sentAt } = lastRequest();
    const at = NOON + sentAt + 1;
    const base = { edge: 'e', caller, n, sentAt, at, until: at + MINUTE_MS, reserve: 9, free: 50 };
    const given = { ...base, freeAt: at + 700 };
    const message: Answer =
      'count' in fields ? { kind: 'granted', ...given, ...fields } : { ...given, kind: fields.kind };
    edge.receive(message, now);
  };
  edge.tick(0);
  if (isWelcome) edge.receive(welcome(0), 1);
  /** The engine falls silent. */
  const loseEngine = (now: number) => {
    edge.tick(now);
    edge.tick(now + 500);
    assert.equal(edge.status, 'alone');
  };
  return { edge, sent, verdicts, take, welcome, answer, lastRequest, loseEngine };
}

describe('createEdgeGrants', () => {
  it('lets calls wait for the first grant, then spends it and asks for more before it runs dry', () => {
    const { take, answer, verdicts, sent, lastRequest } = start();
    assert.equal(take(10), 'waiting');
    assert.equal(take(11), 'waiting');
    assert.deepEqual(lastRequest().spent, []);
    answer(12, { count: 5 });
    assert.deepEqual(verdicts, ['admitted', 'admitted']);
    const asked = sent.length;
    assert.equal(take(13), 'admitted');
    assert.equal(sent.length, asked);
    assert.equal(take(14), 'admitted');
    const request = lastRequest();
    assert.deepEqual([sent.length, request.kind, request.held], [asked + 1, 'ask', 1]);
    assert.equal(
      request.spent.reduce((sum, [, calls]) => sum + calls, 0),
      4,
    );
    assert.equal(take(15), 'admitted');
    assert.equal(take(16), 'waiting');
    answer(17, { count: 5 });
    assert.deepEqual(verdicts, ['admitted', 'admitted', 'admitted']);
  });

  it('reports no call earlier than it was', () => {
    const { take, answer, edge, lastRequest } = start();
    take(10);
    answer(400, { count: 5 });
    take(30_123);
    edge.tick(MINUTE_MS + 400);
    for (const [at] of lastRequest().spent)
      assert.ok([400, 30_123].some((ms) => at >= NOON + ms && at < NOON + ms + 600));
    assert.equal(lastRequest().kind, 'report');
  });

  it('counts the validity of a grant from the moment it asked', () => {
    const { take, answer, edge } = start();
    take(10_000);
    // It hears nothing of the engine for a while, but no timer fires.
    answer(50_000, { count: 5 });
    assert.equal(take(69_900), 'admitted');
    assert.equal(take(70_001), 'waiting');
    assert.equal(edge.status, 'served');
  });

  it('gives back what it did not spend when the minute is over', () => {
    const { take, answer, edge, lastRequest } = start();
    take(10);
    answer(12, { count: 5 });
    edge.tick(12 + MINUTE_MS);
    const { kind, held, spent } = lastRequest();
    assert.deepEqual([kind, held, spent.length], ['report', 0, 1]);
    answer(14 + MINUTE_MS, { kind: 'noted' });
    const before = lastRequest().n;
    edge.tick(20 + 3 * MINUTE_MS);
    assert.equal(lastRequest().n, before);
  });

  it('repeats a request without an answer, and nothing but the time of sending differs', () => {
    const { take, edge, sent, answer, verdicts } = start();
    take(10);
    take(11);
    edge.tick(110);
    const [first, second] = sent.filter(({ kind }) => kind === 'ask');
    assert.ok(first?.kind === 'ask' && second?.kind === 'ask');
    assert.deepEqual(second, { ...first, sentAt: 110 });
    answer(112, { count: 5 });
    answer(113, { count: 5 });
    assert.deepEqual(verdicts, ['admitted', 'admitted']);
    assert.deepEqual(
      [take(114), take(115), take(116), take(117)],
      ['admitted', 'admitted', 'admitted', 'waiting'],
    );
  });

  it('refuses without asking again until there may be more', () => {
    const { take, answer, verdicts, sent } = start();
    take(10);
    answer(20, { kind: 'refused' });
    assert.deepEqual(verdicts, ['refused']);
    const known = sent.length;
    assert.equal(take(21), 'refused');
    assert.equal(take(719), 'refused');
    assert.equal(sent.length, known);
    assert.equal(take(720), 'waiting');
  });

  it('asks again soon while other edges give back', () => {
    const { take, answer, edge, verdicts, lastRequest } = start();
    take(10);
    answer(12, { kind: 'recalling' });
    assert.equal(take(13), 'waiting');
    edge.tick(31);
    assert.equal(lastRequest().n, 1);
    edge.tick(32);
    assert.equal(lastRequest().n, 2);
    answer(33, { count: 1 });
    assert.deepEqual(verdicts, ['admitted']);
  });

  it('gives back what it is asked for, also of a caller it knows nothing of', () => {
    const { take, answer, edge, lastRequest } = start();
    take(10);
    answer(12, { count: 5 });
    const recall = { kind: 'recall', edge: 'e', limit: 100, held: 1, reserve: 2 } as const;
    edge.receive({ ...recall, caller: 'a:c' }, 20);
    assert.deepEqual([lastRequest().kind, lastRequest().held, lastRequest().reserve], ['report', 1, 2]);
    edge.receive({ ...recall, caller: 'a:d', reserve: 50 }, 21);
    assert.deepEqual([lastRequest().caller, lastRequest().held, lastRequest().reserve], ['a:d', 0, 12]);
  });

  it('gives back after the answer when it is asked meanwhile', () => {
    const { take, answer, edge, lastRequest } = start();
    take(10);
    edge.receive({ kind: 'recall', edge: 'e', caller: 'a:c', limit: 100, held: 0, reserve: 0 }, 11);
    assert.equal(lastRequest().kind, 'ask');
    answer(12, { count: 5 });
    const { kind, held, reserve, spent } = lastRequest();
    assert.deepEqual([kind, held, reserve, spent.length], ['report', 0, 0, 1]);
  });

  it('lets in an eighth of the limit of an unknown caller while no engine answers', () => {
    const { edge, take, verdicts, loseEngine } = start();
    take(10);
    assert.equal(edge.status, 'served');
    loseEngine(1_000);
    assert.deepEqual(verdicts, ['admitted']);
    const kinds = Array.from({ length: 20 }, (_, call) => take(2_000 + call));
    assert.deepEqual(kinds, [...Array(11).fill('admitted'), ...Array(9).fill('unknown')]);
    assert.equal(take(2_100, { caller: 'k:pro', limit: 10_000 }), 'admitted');
  });

  it('lets in what it was told of a known caller while no engine answers, after what it holds', () => {
    const { take, answer, loseEngine } = start();
    take(10);
    answer(12, { count: 3 });
    loseEngine(1_000);
    const kinds = Array.from({ length: 15 }, (_, call) => take(2_000 + call));
    assert.deepEqual(kinds, [...Array(2 + 9).fill('admitted'), ...Array(4).fill('unknown')]);
  });

  it('lets in nothing on its own before it may, after its place ended, or without one', () => {
    const early = start({ reserveFrom: NOON + HOUR_MS });
    early.loseEngine(1_000);
    assert.equal(early.take(2_000), 'unknown');
    const late = start();
    late.loseEngine(1_000);
    assert.equal(late.take(9 * MINUTE_MS), 'admitted');
    assert.equal(late.take(10 * MINUTE_MS), 'unknown');
    assert.equal(start({ isWelcome: false }).take(10), 'unknown');
  });

  it('tells the engine what it let in alone as soon as that is back', () => {
    const { edge, take, welcome, answer, lastRequest, loseEngine } = start();
    loseEngine(1_000);
    take(2_000);
    take(2_001);
    edge.receive(welcome(5_000), 5_001);
    assert.equal(edge.status, 'served');
    assert.equal(take(5_002), 'waiting');
    assert.deepEqual([lastRequest().reserve, lastRequest().spent.length], [10, 1]);
    answer(5_004, { count: 1 });
  });

  it('gives up its reserves when it has to take a new place', () => {
    const { edge, take, welcome, answer, loseEngine } = start();
    take(10);
    answer(12, { count: 1 });
    const other = welcome(1_000);
    assert.ok(other.kind === 'welcome');
    edge.receive({ ...other, reserveFrom: NOON + HOUR_MS }, 1_001);
    loseEngine(2_000);
    assert.equal(take(3_000), 'unknown');
  });

  it('takes a call back: at once, or with the next report when it was reported', () => {
    const { edge, take, answer, lastRequest } = start();
    take(10);
    answer(12, { count: 1 });
    const verdict = edge.take(CALL, 13, () => {});
    assert.equal(verdict, 'waiting');
    const reported = lastRequest().spent[0]?.[0] ?? 0;
    edge.refund({ kind: 'admitted', caller: 'a:c', at: reported }, 14);
    answer(15, { count: 2 });
    const kept = edge.take(CALL, 16, () => {});
    assert.ok(kept !== 'waiting' && kept.kind === 'admitted');
    edge.refund(kept, 17);
    assert.equal(take(18), 'admitted');
    edge.tick(18 + MINUTE_MS);
    assert.equal(
      lastRequest().spent.reduce((sum, [, calls]) => sum + calls, 0),
      1 + 1 - 1,
    );
  });

  it('says what is left', () => {
    const { edge, take, answer } = start();
    assert.deepEqual(edge.standing(CALL, 5), { remaining: 100, freeInMs: 0 });
    take(10);
    answer(12, { count: 5 });
    const { remaining, freeInMs } = edge.standing(CALL, 12);
    assert.equal(remaining, 54);
    assert.ok(freeInMs > 690 && freeInMs <= 700, `${freeInMs} ms`);
  });

  it('lets addresses past the maximum share one hour, never keys', () => {
    const { take, lastRequest } = start({ mostCallers: 1 });
    take(10);
    take(11, { caller: 'a:d', limit: 100 });
    assert.equal(lastRequest().caller, 'a:others');
    take(12, { caller: 'k:d', limit: 100 });
    assert.equal(lastRequest().caller, 'k:d');
  });

  it('forgets a caller three hours after the last answer, not before', () => {
    const { edge, take, answer, welcome, lastRequest } = start({ placeMs: 5 * HOUR_MS });
    take(10);
    answer(12, { kind: 'refused' });
    const ask = (now: number) => {
      edge.tick(now);
      edge.receive(welcome(now), now + 1);
      take(now + 2);
      return lastRequest().reserve;
    };
    assert.equal(ask(3 * HOUR_MS), 9);
    answer(3 * HOUR_MS + 3, { kind: 'refused' });
    assert.equal(ask(6.1 * HOUR_MS), 12);
  });

  it('refuses everything once it closes, gives everything back, then leaves', () => {
    const { edge, take, answer, sent, verdicts, lastRequest } = start();
    take(10);
    answer(12, { count: 5 });
    take(13, { caller: 'a:d', limit: 100 });
    edge.close(14);
    assert.deepEqual(verdicts, ['admitted', 'unknown']);
    assert.equal(take(15), 'unknown');
    assert.equal(edge.status, 'closing');
    const requests = sent.filter(({ kind }) => kind === 'ask' || kind === 'report');
    assert.deepEqual(
      requests.map((request) => ('caller' in request ? [request.kind, request.caller, request.held] : [])),
      [
        ['ask', 'a:c', 0],
        ['ask', 'a:d', 0],
        ['report', 'a:c', 0],
      ],
    );
    answer(16, { kind: 'noted' });
    const { n, sentAt } = requests[1] as Request;
    const at = NOON + 15;
    edge.receive(
      {
        kind: 'granted',
        edge: 'e',
        caller: 'a:d',
        n,
        sentAt,
        at,
        until: at,
        reserve: 0,
        free: 0,
        freeAt: at,
        count: 2,
      },
      17,
    );
    assert.deepEqual([lastRequest().caller, lastRequest().held], ['a:d', 0]);
    answer(18, { kind: 'noted' });
    assert.equal(edge.status, 'closed');
    assert.deepEqual(sent.at(-1), { kind: 'leave', edge: 'e' });
  });
});
