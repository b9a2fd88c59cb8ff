import assert from 'node:assert/strict';
import fc from 'fast-check';
import { map } from 'rxjs';
import { DAY_MS, type Fact, type Input, type ValueAges } from '../../../streams/internal.ts';
import { counters } from '../../../streams/pipelines/counters.ts';
import {
  type Entry,
  event,
  log,
  post,
  STALE_AFTER_MS,
  settings,
  tick,
  tracking,
} from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { eventOutput, postOutput } from '../../support/outputs.ts';
import { foundLive, lettered, neverFails, ofStream, run } from './run.ts';

const START = 20 * DAY_MS;
const END = 27 * DAY_MS;
const listed = event({ startAt: START, endAt: END });
const covered = { kind: 'coverage', account: 'a', fromAt: START } as const;
const oracle = (total: number) =>
  ({ kind: 'oracle', account: 'a', trackingId: 't1', total, syncedAt: null }) as const;
const ui = (count: number | null) => ({ kind: 'ui', eventId: 1, count }) as const;
const FRESH = { 'posts:a': 0, 'oracle:a': 0, 'ui:a': 0, prices: 0 };

const outputs = (...entries: Entry[]) =>
  ofStream(run(log([0, settings()], ...entries)), 'counters').filter(({ key }) => key === '1');

/** What the counters are after all of it. */
const last = (...entries: Entry[]) => outputs(...entries).at(-1)?.record;

describe('counters', () => {
  it('counts a post of a covered window at once, and the oracle when it has counted', () =>
    marbles(({ hot, expectObservable }) => {
      const window = eventOutput({ startAt: START, endAt: END, trackingId: 't1' }, { at: START });
      const seen = foundLive(postOutput({ createdAt: START + 1 }));
      const observation$ = hot(
        's---c---o-o-|',
        lettered({ s: [0, settings()], c: [0, covered], o: [0, oracle(1)] }),
      );
      const event$ = hot('      --e---------|', { e: window });
      const post$ = hot('       ------p-----|', { p: seen });
      const expected = '        --w-x-y-z---|';
      const count$ = counters({ observation$, event$, post$ }, new Map(), neverFails, () => ['a']).pipe(
        map(({ output: { record } }) => [record.real, record.oracle]),
      );
      expectObservable(count$).toBe(expected, { w: [null, null], x: [0, null], y: [1, null], z: [1, 1] });
    }));

  it('has null for every count that is not known yet', () => {
    assert.deepEqual(last([START, listed]), {
      eventId: 1,
      account: 'a',
      oracle: null,
      real: null,
      ui: null,
      settlementDelta: null,
      displayDelta: null,
      internalDelta: null,
      deleted: null,
      via: 'timeline',
      stale: ['posts', 'oracle', 'ui', 'prices'],
      historyPercent: 0,
    });
  });

  it('takes the three differences with the signs of the spec', () => {
    const posts = ['1', '2', '3', '4', '5'].map((id) => [START, post({ id, createdAt: START })] as const);
    const entries = [
      [START, listed],
      [START, tracking({ startAt: START })],
      [START, covered],
      ...posts,
      [START, oracle(3)],
      [START, ui(4)],
    ] as const;
    const record = last(...entries);
    assert.deepEqual([record?.real, record?.oracle, record?.ui], [5, 3, 4]);
    assert.deepEqual([record?.settlementDelta, record?.displayDelta, record?.internalDelta], [2, 1, 1]);
  });

  for (const [name, createdAt, real] of [
    ['a millisecond before the start', START - 1, 0],
    ['at the start', START, 1],
    ['a millisecond before the end', END - 1, 1],
    ['at the end', END, 0],
  ] as const) {
    it(`counts ${real} for a post created ${name}`, () => {
      assert.equal(last([0, listed], [0, covered], [END, post({ createdAt })])?.real, real);
    });
  }

  it('counts a post that comes 48 hours late, and those known before the event was', () => {
    const late = [END + 2 * DAY_MS, post({ createdAt: END - 1 })] as const;
    assert.equal(last([0, listed], [0, covered], late)?.real, 1);
    assert.equal(last([0, covered], [START, post({ createdAt: START })], [START, listed])?.real, 1);
  });

  it('counts one post in every window it lies in', () => {
    const nested = event({ eventId: 2, slug: 'two', title: 'two', startAt: START, endAt: START + DAY_MS });
    const entries = [
      [0, covered],
      [0, listed],
      [0, nested],
      [START, post({ createdAt: START })],
    ] as const;
    const counters = ofStream(run(log([0, settings()], ...entries)), 'counters').slice(-2);
    assert.deepEqual(
      counters.map(({ key, cause, record }) => [key, cause, record.real]),
      [
        ['1', 'new_post', 1],
        ['2', 'new_post', 1],
      ],
    );
  });

  it('is unknown unless the posts are known from the start on', () => {
    const real = (fromAt: number) =>
      last([START, listed], [START, post({ createdAt: START })], [START, { ...covered, fromAt }])?.real;
    assert.equal(real(START), 1);
    assert.equal(real(START + 1), null);
  });

  it('gives up a count when coverage is lost', () => {
    const lost = { ...covered, fromAt: START + 1 };
    assert.deepEqual(
      outputs([START, listed], [START, covered], [START, lost]).map(({ cause, record }) => [
        cause,
        record.real,
      ]),
      [
        ['event_opened', null],
        ['coverage', 0],
        ['coverage', null],
      ],
    );
  });

  describe('while the past is read', () => {
    const WEEK_MS = END - START;
    const history = (reading: 'timeline' | 'archive', share: number, isDone = false) =>
      ({ kind: 'history', account: 'a', reading, fromAt: END - 1 - share * WEEK_MS, isDone }) as const;
    const percent = (...facts: readonly Fact[]) =>
      last([START, listed], ...facts.map((fact) => [END - 1, fact] as const))?.historyPercent;

    it('says how much of the window was read, and no count', () => {
      assert.equal(percent(), 0);
      assert.equal(percent(history('timeline', 0.5)), 25);
      assert.equal(percent(history('timeline', 2, true)), 50);
      assert.equal(percent(history('timeline', 2, true), history('archive', 0.5)), 75);
      const record = last(
        [START, listed],
        [END - 1, post({ createdAt: START })],
        [END - 1, history('timeline', 2, true)],
      );
      assert.deepEqual([record?.real, record?.deleted, record?.settlementDelta], [null, null, null]);
    });

    it('is at 100 only with a count, and has none when a part cannot be read', () => {
      const read = [history('timeline', 2, true), history('archive', 0.999)];
      assert.equal(percent(...read), 99);
      assert.equal(percent(...read, covered), 100);
      assert.equal(percent(...read, history('archive', 2, true)), null);
    });

    it('needs the archive alone when posts come from the oracle’s list', () => {
      const accounts = settings().accounts.map((account) => ({ ...account, via: 'oracle_list' as const }));
      assert.equal(percent(settings({ accounts }), history('archive', 0.5)), 50);
      assert.equal(percent(settings({ accounts }), history('archive', 2, true)), null);
    });

    it('begins again with the archive after a gap', () => {
      const gap = { ...covered, fromAt: END - DAY_MS };
      const read = [history('timeline', 2, true), history('archive', 2, true), covered];
      assert.equal(percent(...read, gap, history('timeline', 1 / 7, true)), 50);
      assert.equal(percent(...read, gap, history('timeline', 1 / 7, true), history('archive', 0.5)), 75);
    });

    it('never shows a count before all of its window is covered, whatever is read in which order', () => {
      const fact = fc.oneof(
        fc
          .record({ daysAgo: fc.nat({ max: 9 }), isDone: fc.boolean(), isArchive: fc.boolean() })
          .map(({ daysAgo, isDone, isArchive }) => ({
            ...history(isArchive ? 'archive' : 'timeline', 0, isDone),
            fromAt: END - daysAgo * DAY_MS,
          })),
        fc.nat({ max: 9 }).map((daysAgo) => ({ ...covered, fromAt: END - daysAgo * DAY_MS })),
        fc.nat({ max: 100 }).map((id) => post({ id: String(id), createdAt: END - 1 - id * 1_000 })),
      );
      fc.assert(
        fc.property(fc.array(fact, { maxLength: 20 }), (facts) => {
          const record = last([START, listed], ...facts.map((each) => [END - 1, each] as const));
          const coverage = facts.findLast((each) => each.kind === 'coverage');
          const isCovered = coverage !== undefined && coverage.fromAt <= START;
          assert.equal(record?.real !== null, isCovered);
          assert.equal(record?.historyPercent === 100, isCovered);
        }),
      );
    });
  });

  it('takes a reclassified post out, keeps a deleted one in, and counts the deleted', () => {
    const seen = post({ createdAt: START });
    const gone = { kind: 'post_gone', account: 'a', id: '1' } as const;
    const reply = post({ ...seen, isReply: true });
    assert.deepEqual(
      outputs(
        [START, listed],
        [START, covered],
        [START, seen],
        [START, gone],
        [START, reply],
        [START, seen],
      ).map(({ cause, record }) => [cause, record.real, record.deleted]),
      [
        ['event_opened', null, null],
        ['coverage', 0, 0],
        ['new_post', 1, 0],
        ['post_deleted', 1, 1],
        ['post_edited', 0, 0],
        ['post_edited', 1, 1],
      ],
    );
  });

  it('counts again when the window moves', () => {
    const narrow = { ...listed, endAt: START + 1 };
    const entries = [
      [START, listed],
      [START, covered],
      [START + 5, post({ createdAt: START + 5 })],
    ] as const;
    assert.equal(last(...entries)?.real, 1);
    assert.equal(last(...entries, [START + 6, narrow])?.real, 0);
  });

  it('mirrors an oracle and a page that go back, jump or fall silent', () => {
    const entries = [
      [START, listed],
      [START, tracking({ startAt: START })],
    ] as const;
    const totals = [5, 3, 1_003, 3].map((total) => [START, oracle(total)] as const);
    const shown = [5, 3, null, 1_003].map((count) => [START, ui(count)] as const);
    assert.deepEqual(
      outputs(...entries, ...totals)
        .slice(-4)
        .map(({ record }) => record.oracle),
      [5, 3, 1_003, 3],
    );
    assert.deepEqual(
      outputs(...entries, ...shown)
        .slice(-4)
        .map(({ record }) => record.ui),
      [5, 3, null, 1_003],
    );
  });

  it('takes a total of the oracle that came before its window was matched', () => {
    assert.equal(last([0, oracle(7)], [START, listed], [START, tracking({ startAt: START })])?.oracle, 7);
  });

  it('emits nothing when nothing changes', () => {
    const entries = [
      [START, listed],
      [START, tracking()],
      [START, oracle(3)],
      [START, ui(3)],
    ] as const;
    const count = outputs(...entries).length;
    assert.equal(outputs(...entries, [START, oracle(3)], [START, ui(3)], [START, tick()]).length, count);
  });

  it('holds an input stale when it is a millisecond past its limit, or never came', () => {
    const inputs: readonly [Input, string][] = [
      ['posts', 'posts:a'],
      ['oracle', 'oracle:a'],
      ['ui', 'ui:a'],
      ['prices', 'prices'],
    ];
    for (const [input, source] of inputs) {
      const stale = (ages: Record<string, number>) => last([START, listed], [START, tick(ages)])?.stale;
      const { [source]: _, ...others } = FRESH as Record<string, number>;
      assert.deepEqual(stale({ ...FRESH, [source]: STALE_AFTER_MS[input] }), []);
      assert.deepEqual(stale({ ...FRESH, [source]: STALE_AFTER_MS[input] + 1 }), [input]);
      assert.deepEqual(stale(others), [input]);
    }
  });

  it('holds an oracle fresh that is polled well and never moves', () => {
    const ticks = [1, 2, 3].map((hours) => [START + hours * 3_600_000, tick(FRESH)] as const);
    const entries = [[START, listed], [START, tracking()], [START, oracle(3)], ...ticks] as const;
    const record = last(...entries);
    assert.deepEqual([record?.oracle, record?.stale], [3, []]);
  });

  it('takes new limits at the next tick', () => {
    const loose = settings({ staleAfterMs: { ...STALE_AFTER_MS, posts: 20_000 } });
    const ages = { ...FRESH, 'posts:a': 15_000 };
    assert.deepEqual(
      outputs([START, listed], [START, tick(ages)], [START, loose], [START, tick(ages)]).map(
        ({ cause, record }) => [cause, record.stale],
      ),
      [
        ['event_opened', ['posts', 'oracle', 'ui', 'prices']],
        ['clock', ['posts']],
        ['clock', []],
      ],
    );
  });

  it('takes the limits of its own account', () => {
    const own = settings({
      accounts: settings().accounts.map((account) => ({ ...account, staleAfterMs: { posts: 20_000 } })),
    });
    const at = (posts: number) =>
      last([START, own], [START, listed], [START, tick({ ...FRESH, 'posts:a': posts })]);
    assert.deepEqual([at(20_000)?.stale, at(20_001)?.stale], [[], ['posts']]);
  });

  it('says where its posts are read, and knows of no deletions when that is the oracle’s list', () => {
    const listOnly = settings({
      accounts: settings().accounts.map((account) => ({ ...account, via: 'oracle_list' as const })),
    });
    const seen = post({ createdAt: START + 1 });
    const gone = { kind: 'post_gone', account: 'a', id: '1' } as const;
    assert.deepEqual(
      outputs([START, listed], [START, covered], [START + 2, seen], [START + 3, gone], [START + 4, listOnly])
        .slice(-2)
        .map(({ cause, record }) => [cause, record.real, record.deleted, record.via]),
      [
        ['post_deleted', 1, 1, 'timeline'],
        ['settings', 1, null, 'oracle_list'],
      ],
    );
  });

  it('is not moved by news of which posts the oracle has', () => {
    const seen = post({ createdAt: START + 1 });
    const told = post({ ...seen, via: 'list', importedAt: START + 2 });
    const entries: Entry[] = [
      [START, listed],
      [START, covered],
      [START + 2, seen],
    ];
    assert.deepEqual(outputs(...entries, [START + 3, told]), outputs(...entries));
  });

  it('holds nothing stale of an event that is not active', () => {
    assert.deepEqual(last([0, listed])?.stale, []);
    assert.deepEqual(last([START, listed], [END, tick()])?.stale, []);
  });

  it('is not moved by the sources of another account', () => {
    assert.deepEqual(last([START, listed], [START, tick({ ...FRESH, 'posts:b': 1e9 })])?.stale, []);
  });

  it('follows an event for a week after its end', () => {
    const other = event({ eventId: 2, slug: 'two', title: 'two' });
    const later = (at: number) => last([START, listed], [0, covered], [at, other], [at, ui(9)])?.ui;
    assert.equal(later(END + 7 * DAY_MS), 9);
    assert.notEqual(later(END + 7 * DAY_MS + 1), 9);
  });

  describe('with a value that is behind the rest of its source', () => {
    const second = event({ eventId: 2, slug: 'event-2', startAt: START, endAt: END });
    const staleWith = (lagging?: ValueAges) => {
      const both = run(
        log(
          [0, settings()],
          [START, listed],
          [START, second],
          [START, tracking({ startAt: START, endAt: END })],
          [START + 1, { ...tick(FRESH), ...(lagging && { lagging }) }],
        ),
      );
      const newest = new Map(ofStream(both, 'counters').map(({ key, record }) => [key, record.stale]));
      return [newest.get('1'), newest.get('2')];
    };

    it('is stale in the event of the value alone, once past the limit of its input', () => {
      assert.deepEqual(staleWith(), [[], []]);
      assert.deepEqual(staleWith({ 'oracle:a': { t1: 900_000 } }), [[], []]);
      assert.deepEqual(staleWith({ 'oracle:a': { t1: 900_001 } }), [['oracle'], []]);
      assert.deepEqual(staleWith({ 'ui:a': { 2: 300_001 } }), [[], ['ui']]);
      assert.deepEqual(staleWith({ prices: { 1: 60_001, 2: 99_000 } }), [['prices'], ['prices']]);
    });

    it('takes no value of another account or source for its own', () => {
      assert.deepEqual(staleWith({ 'oracle:b': { t1: 900_001 }, 'ui:a': { t1: 900_001 } }), [[], []]);
    });

    it('is fresh again when the value was answered', () => {
      const ages = outputs(
        [START, listed],
        [START, { ...tick(FRESH), lagging: { 'ui:a': { 1: 300_001 } } }],
        [START + 1, tick(FRESH)],
      );
      assert.deepEqual(ages.at(-2)?.record.stale, ['ui']);
      assert.deepEqual(ages.at(-1)?.record.stale, []);
    });
  });
});
