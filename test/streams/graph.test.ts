import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EMPTY, map, NEVER, type Observable, take } from 'rxjs';
import {
  decodeState,
  type EventRecord,
  emptyState,
  encodeState,
  graph,
  HOUR_MS,
  isKept,
  type Observation,
  type Output,
} from '../../streams/internal.ts';
import { tick } from '../support/facts.ts';
import { marbles } from '../support/marbles.ts';
import { anyLog } from '../support/observations.ts';
import { recount, seenPosts } from './pipelines/recount.ts';
import { latest, ofStream, records, run, runByStep, runInParts } from './pipelines/run.ts';

/** Logs for each property, of which the default keeps the suite quick; after changes of the graph 400 are worth their time. */
const RUNS = Number(process.env.GRAPH_RUNS ?? 20);

/** A crypto event is forgotten within the time of a log, and is news when it is listed again. */
function isForgettable(record: Output['record']): boolean {
  return 'subject' in record && record.subject.type === 'crypto';
}

const EVENTS_OF_A = [100, 101, 102, 103];
const EVENTS_OF_B = [104, 105];

/** The same log with values of both accounts that are behind the rest now and then. */
function behind(log: readonly Observation[]): readonly Observation[] {
  return log.map((observation) => {
    const { seq, fact } = observation;
    if (fact.kind !== 'tick' || seq % 3 === 0) return observation;
    const age = (seq * 997_000) % 2_000_000;
    const of = (ids: readonly number[], prefix = '') =>
      Object.fromEntries(ids.map((id) => [prefix + id, age]));
    const lagging = {
      'oracle:a': of(seq % 4 === 0 ? EVENTS_OF_A : [], 't'),
      'oracle:b': of(EVENTS_OF_B, 't'),
      'ui:b': of(EVENTS_OF_B),
      prices: of(seq % 5 === 0 ? [...EVENTS_OF_A, ...EVENTS_OF_B] : EVENTS_OF_B),
    };
    return { ...observation, fact: { ...fact, lagging } };
  });
}

/** What would have been observed at the same place if nobody had asked about `b`; null for nothing. */
function withoutB(observation: Observation): Observation | null {
  const { fact } = observation;
  switch (fact.kind) {
    case 'settings': {
      const accounts = fact.accounts.filter(({ id }) => id !== 'b');
      return { ...observation, fact: { ...fact, accounts } };
    }
    case 'tick': {
      const ages = Object.fromEntries(Object.entries(fact.ages).filter(([source]) => !source.endsWith(':b')));
      const lagging = Object.fromEntries(
        Object.entries(fact.lagging ?? {})
          .filter(([source]) => !source.endsWith(':b'))
          .map(([source, values]) => [
            source,
            Object.fromEntries(
              Object.entries(values).filter(([value]) => !EVENTS_OF_B.includes(Number(value))),
            ),
          ]),
      );
      return { ...observation, fact: { kind: 'tick', ages, ...(fact.lagging && { lagging }) } };
    }
    case 'ui':
    case 'prices':
      return EVENTS_OF_B.includes(fact.eventId) ? null : observation;
    case 'event':
      return fact.subject.type === 'posts' && fact.subject.account === 'b' ? null : observation;
    default:
      return 'account' in fact && fact.account === 'b' ? null : observation;
  }
}

function isOfA({ stream, record }: Output): boolean {
  switch (stream) {
    case 'events':
      return record.subject.type === 'posts' && record.subject.account === 'a';
    case 'prices':
      return EVENTS_OF_A.includes(record.eventId);
    case 'freshness':
    case 'failures':
    case 'models':
    case 'spot':
      return false;
    default:
      return record.account === 'a';
  }
}

const anyCuts = fc.array(fc.nat({ max: 400 }), { maxLength: 6 });

describe('graph', () => {
  it('emits the same bytes however often it is stopped and started from a checkpoint', () => {
    fc.assert(
      fc.property(anyLog(), anyCuts, (log, cuts) => {
        const places = cuts.map((cut) => cut % (log.length + 1));
        assert.equal(JSON.stringify(runInParts(log, places)), JSON.stringify(run(log)));
      }),
      { numRuns: RUNS },
    );
  });

  it('emits the same bytes when it is stopped after every observation', () => {
    fc.assert(
      fc.property(anyLog(60), (log) => {
        const places = log.map((_, index) => index);
        assert.equal(JSON.stringify(runInParts(log, places)), JSON.stringify(run(log)));
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('counts an event with a bucket of unknown range, and neither forecasts it nor bets on it', () => {
    const unclear = (log: readonly Observation[]) =>
      log.map((observation): Observation => {
        const { fact } = observation;
        if (fact.kind !== 'event') return observation;
        const buckets = fact.buckets.map((bucket, index) =>
          index === 0 ? { ...bucket, title: 'Other', lo: null, hi: null } : bucket,
        );
        return { ...observation, fact: { ...fact, buckets: [...buckets.slice(1), ...buckets.slice(0, 1)] } };
      });
    let counted = 0;
    fc.assert(
      fc.property(anyLog(), (log) => {
        const outputs = run(unclear(log));
        assert.deepEqual(records(outputs, 'failures'), []);
        assert.deepEqual(
          records(outputs, 'requests').filter(({ type }) => type === 'forecast'),
          [],
        );
        for (const { buckets, order } of records(outputs, 'signals')) {
          assert.equal(order, null);
          assert.ok(buckets.every(({ prob }) => prob === null));
        }
        counted += records(outputs, 'counters').length;
      }),
      { numRuns: RUNS },
    );
    assert.ok(counted > 0);
  });

  it('emits the same bytes twice', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        assert.equal(JSON.stringify(run(log)), JSON.stringify(run(log)));
      }),
      { numRuns: RUNS },
    );
  });

  it('ends up in the same state whether it was stopped or not', () => {
    fc.assert(
      fc.property(anyLog(), fc.nat(), (log, cut) => {
        const whole = emptyState();
        run(log, whole);
        const before = emptyState();
        run(log.slice(0, cut % log.length), before);
        const after = decodeState(encodeState(before));
        run(log.slice(cut % log.length), after);
        assert.equal(encodeState(after), encodeState(whole));
      }),
      { numRuns: RUNS },
    );
  });

  it('counts as a recount from the raw facts does, after any part of the log', () => {
    fc.assert(
      fc.property(anyLog(), fc.integer({ min: 1, max: 20 }), (log, every) => {
        const emitted: Output[] = [];
        for (const [{ seq }, outputs] of runByStep(log)) {
          emitted.push(...outputs);
          if (seq % every !== 0 && seq !== log.length) continue;
          const counters = [...latest(emitted, 'counters').values()].map(({ record }) => record);
          const actual = new Map(
            counters.map(({ eventId, real, oracle, ui, deleted }) => [
              eventId,
              { real, oracle, ui, deleted },
            ]),
          );
          assert.deepEqual(actual, recount(log.slice(0, seq)), `after seq ${seq}`);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('gives at every tick the velocity of the hour before it, whatever the clock did', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const emitted: Output[] = [];
        const coveredFrom = new Map<string, number>();
        for (const [{ seq, receivedAt: now, fact }, outputs] of runByStep(log)) {
          emitted.push(...ofStream(outputs, 'velocity'));
          if (fact.kind === 'coverage') coveredFrom.set(fact.account, fact.fromAt);
          if (fact.kind !== 'tick') continue;
          const posts = seenPosts(log.slice(0, seq));
          for (const [account, fromAt] of coveredFrom) {
            if (fromAt > now - HOUR_MS) continue;
            const recent = [...(posts.get(account)?.values() ?? [])].filter(
              ({ createdAt }) => createdAt > now - HOUR_MS && createdAt <= now,
            );
            const counted1h = recent.filter(({ isCounted }) => isCounted).length;
            const expected = { account, counted1h, all1h: recent.length };
            assert.deepEqual(latest(emitted, 'velocity').get(account)?.record, expected);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps the deltas consistent, and null exactly when a side is unknown', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b);
        for (const counters of records(run(log), 'counters')) {
          const { real, oracle, ui, settlementDelta, displayDelta, internalDelta } = counters;
          assert.equal(settlementDelta, minus(real, oracle));
          assert.equal(displayDelta, minus(real, ui));
          assert.equal(internalDelta, minus(ui, oracle));
          if (displayDelta !== null && internalDelta !== null)
            assert.equal(settlementDelta, displayDelta + internalDelta);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('emits of an account what it would emit if no other were known', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const together = behind(log);
        const alone = together.flatMap((observation) => withoutB(observation) ?? []);
        const ofA = (outputs: readonly Output[]) => JSON.stringify(outputs.filter(isOfA), null, 1);
        assert.equal(ofA(run(together)), ofA(run(alone)));
      }),
      { numRuns: 250 },
    );
  });

  it('never lowers a covered count but for an edit, a moved window or a loss of coverage', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const before = new Map<string, number | null>();
        for (const { key, cause, record } of ofStream(run(log), 'counters')) {
          const known = before.get(key) ?? null;
          before.set(key, record.real);
          if (known === null || (record.real !== null && record.real >= known)) continue;
          assert.ok(
            ['post_edited', 'event_opened', 'event_changed', 'event_closed', 'coverage'].includes(cause),
            `${known} became ${record.real} by ${cause}`,
          );
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('announces a post once, and a deletion once', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const once = ofStream(run(log), 'posts').filter(({ cause }) => cause !== 'post_edited');
        const names = once.map(({ cause, key, record }) => `${cause} ${record.account} ${key}`);
        assert.deepEqual(names, [...new Set(names)]);
      }),
      { numRuns: RUNS },
    );
  });

  it('gives each output the place and time of the observation it came of, in its turn', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        for (const [observation, outputs] of runByStep(log)) {
          for (const { seq, at } of outputs) {
            assert.deepEqual(
              { seq, receivedAt: at },
              { seq: observation.seq, receivedAt: observation.receivedAt },
            );
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('never emits for a key what it emitted last', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const before = new Map<string, string>();
        for (const { stream, key, record } of run(log)) {
          if (!['posts', 'events', 'counters', 'velocity'].includes(stream)) continue;
          if (isForgettable(record)) continue;
          const name = 'account' in record ? `${stream} ${record.account} ${key}` : `${stream} ${key}`;
          assert.notEqual(JSON.stringify(record), before.get(name));
          before.set(name, JSON.stringify(record));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('ends with the observations, fails with them, and lets go of them', () =>
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const ticks = { t: { seq: 1, receivedAt: 0, fact: tick() } };
      const stream$ = (observation$: Observable<Observation>) =>
        graph(observation$, emptyState()).pipe(map(({ stream }) => stream));
      const ended$ = hot('-t-|', ticks);
      const left$ = hot('-t-t', ticks);
      expectObservable(stream$(ended$)).toBe('-f-|', { f: 'freshness' });
      expectObservable(stream$(cold('-t-#', ticks))).toBe('-f-#', { f: 'freshness' });
      expectObservable(stream$(EMPTY)).toBe('|');
      expectObservable(stream$(NEVER)).toBe('-');
      expectObservable(stream$(left$).pipe(take(1))).toBe('-(f|)', { f: 'freshness' });
      expectSubscriptions(left$.subscriptions).toBe('^!');
    }));

  it('keeps nothing that JSON cannot carry, and no actor fails', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const outputs = run(log);
        const kept = outputs.filter(({ stream }) => isKept(stream));
        assert.deepEqual(JSON.parse(JSON.stringify(kept)), kept);
        assert.deepEqual(records(outputs, 'failures'), []);
      }),
      { numRuns: RUNS },
    );
  });

  it('gives an event the phase of its half-open window at every tick, and emits when that changes', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const before = new Map<string, string>();
        const closed = new Map<number, boolean>();
        const windows = new Map<string, EventRecord>();
        for (const [{ receivedAt: now, fact }, outputs] of runByStep(log)) {
          if (fact.kind === 'event') closed.set(fact.eventId, fact.isClosed);
          for (const { key, cause, record } of ofStream(outputs, 'events')) {
            if (isForgettable(record)) continue;
            const isNews = before.get(key) !== record.phase;
            assert.equal(cause === 'event_opened', isNews && record.phase === 'active');
            assert.equal(cause === 'event_closed', isNews && ['ended', 'closed'].includes(record.phase));
            before.set(key, record.phase);
            windows.set(key, record);
          }
          if (fact.kind !== 'tick') continue;
          for (const [key, { eventId, startAt, endAt }] of windows) {
            const isOpen = startAt !== null && startAt <= now && now < endAt;
            const byClock = isOpen ? 'active' : now >= endAt ? 'ended' : 'upcoming';
            assert.equal(before.get(key), closed.get(eventId) ? 'closed' : byClock, `event ${key} at ${now}`);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});
