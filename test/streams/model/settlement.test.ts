import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  countOf,
  type Pmf,
  plus,
  pmfCrps,
  pmfMean,
  pmfQuantile,
  probabilityOf,
  probabilityTo,
  shifted,
} from '../../../streams/model/pmf.ts';
import {
  type DeletedPost,
  deletedUnread,
  futureOffset,
  lagShareOf,
  NONE_SETTLED,
  type OracleView,
  type SettlementFacts,
  settledPosts,
  settledShare,
  settledSoFar,
} from '../../../streams/model/settlement.ts';
import { lived, type OracleLife, USUAL_LIFE } from './oracle-life.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = 1_000 * 24 * HOUR_MS;
const START = NOW - 48 * HOUR_MS;
const LAG = { n: 100, p50: 150_000, p90: 300_000, p99: 900_000 };

const own = (...postTimes: readonly number[]) => ({
  now: NOW,
  startAt: START,
  count: postTimes.length,
  postTimes: postTimes.toSorted((a, b) => a - b),
});
/** So many posts, an hour apart, the last one ten hours ago. */
const old = (posts: number) => Array.from({ length: posts }, (_, index) => NOW - (10 + index) * HOUR_MS);
const oracle = (count: number, fields: Partial<OracleView> = {}): OracleView => ({
  count,
  readAt: NOW - MINUTE_MS,
  answeredAt: NOW - 5_000,
  changedAt: NOW - 10 * HOUR_MS,
  ...fields,
});
const facts = (fields: Partial<SettlementFacts> = {}): SettlementFacts => ({
  oracle: null,
  lag: LAG,
  deleted: [],
  closed: NONE_SETTLED,
  ...fields,
});
const sum = ({ probs }: Pmf) => probs.reduce((total, prob) => total + prob, 0);

const anyPosts = fc
  .array(fc.integer({ min: START, max: NOW - 1 }), { maxLength: 30 })
  .chain((times) => fc.record({ times: fc.constant(times), gone: fc.subarray(times) }))
  .chain(({ times, gone }) =>
    fc.record({
      times: fc.constant(times),
      deleted: fc.tuple(
        ...gone.map((createdAt) =>
          fc.integer({ min: 0, max: NOW - createdAt }).map((upMs): DeletedPost => ({ createdAt, upMs })),
        ),
      ),
    }),
  );
const anyOracle = fc.record({
  count: fc.nat({ max: 60 }),
  readAt: fc.option(fc.integer({ min: START, max: NOW + MINUTE_MS })),
  answeredAt: fc.integer({ min: START, max: NOW }),
  changedAt: fc.integer({ min: START, max: NOW }),
});
const anyClosed = fc.record({
  posts: fc.integer({ min: 100, max: 5_000 }),
  deleted: fc.nat({ max: 50 }),
  lost: fc.nat({ max: 50 }),
  extra: fc.nat({ max: 50 }),
});
const anyLag = fc.option(
  fc
    .tuple(fc.nat({ max: 200 }), fc.array(fc.nat({ max: 2 * HOUR_MS }), { minLength: 3, maxLength: 3 }))
    .map(([n, times]) => {
      const [p50 = 0, p90 = 0, p99 = 0] = times.toSorted((a, b) => a - b);
      return { n, p50, p90, p99 };
    }),
);

describe('lagShareOf', () => {
  it('rises from 0 to the percentiles and never reaches 1', () => {
    fc.assert(
      fc.property(anyLag, fc.nat(), fc.nat(), (lag, a, b) => {
        const share = lagShareOf(lag);
        assert.equal(share(0), 0);
        assert.ok(share(Math.min(a, b)) <= share(Math.max(a, b)));
        assert.ok(share(a) >= 0 && share(a) < 1);
      }),
    );
    const measured = lagShareOf({ ...LAG, n: 1_000_000 });
    assert.ok(Math.abs(measured(150_000) - 0.5) < 1e-3 && Math.abs(measured(300_000) - 0.9) < 1e-3);
  });

  it('believes a reading each five minutes while little is measured', () => {
    const few = lagShareOf({ n: 1, p50: HOUR_MS, p90: HOUR_MS, p99: HOUR_MS });
    assert.ok(few(10 * MINUTE_MS) > 0.5);
    assert.ok(lagShareOf(null)(5 * MINUTE_MS) >= 0.9);
  });
});

describe('settledSoFar', () => {
  it('is a distribution with nothing below the count of the oracle', () => {
    fc.assert(
      fc.property(
        anyPosts,
        fc.option(anyOracle),
        anyClosed,
        anyLag,
        ({ times, deleted }, oracle, closed, lag) => {
          const pmf = settledSoFar(own(...times), { oracle, lag, deleted, closed });
          assert.ok(Math.abs(sum(pmf) - 1) < 1e-6, String(sum(pmf)));
          assert.ok(pmf.probs.every((prob) => prob >= 0));
          assert.equal(probabilityTo(pmf, (oracle?.count ?? 0) - 1), 0);
        },
      ),
    );
  });

  it('equals the enumeration of everything that can have happened', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20 * MINUTE_MS }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 10 * MINUTE_MS }), { maxLength: 3 }),
        fc.nat({ max: 8 }),
        (ages, upMs, count) => {
          const up = ages.map((age) => NOW - age - 1);
          const deleted = upMs.map((upMs, index) => ({ createdAt: NOW - HOUR_MS - index, upMs }));
          const view = oracle(count, { readAt: null, answeredAt: NOW, changedAt: NOW });
          const posts = own(...up, ...deleted.map(({ createdAt }) => createdAt));
          const found = settledSoFar(posts, facts({ oracle: view, deleted }));
          const expected = enumerated(up, deleted, posts.count - count);
          for (const [late, prob] of expected) {
            assert.ok(Math.abs(probabilityOf(found, count + late) - prob) < 1e-6);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('takes a count far below our own for a wrong one, not for hundreds of lost posts', () => {
    for (const [ours, theirs] of [
      [90, 3],
      [30, 0],
    ] as const) {
      const pmf = settledSoFar(own(...old(ours)), facts({ oracle: oracle(theirs) }));
      assert.ok(Math.abs(pmfQuantile(pmf, 0.5) - ours) < 0.03 * ours, `${ours} and ${theirs}`);
    }
  });

  it('is certain once the oracle has every post', () => {
    const pmf = settledSoFar(own(...old(20)), facts({ oracle: oracle(20) }));
    assert.ok(probabilityOf(pmf, 20) > 0.999);
  });

  it('expects a post made after the last reading, and all the less the longer a reading missed it', () => {
    const lateWith = (age: number) =>
      pmfMean(settledSoFar(own(...old(20), NOW - age), facts({ oracle: oracle(20) }))) - 20;
    const ages = [10_000, 100_000, 10 * MINUTE_MS, HOUR_MS, 9 * HOUR_MS].map(lateWith);
    assert.ok((ages[0] ?? 0) > 0.97);
    assert.ok((ages.at(-1) ?? 1) < 0.2);
    assert.deepEqual(
      ages,
      ages.toSorted((a, b) => b - a),
    );
  });

  it('gives up a post the sooner the sooner it was deleted', () => {
    const made = NOW - 20 * MINUTE_MS;
    const expected = [10_000, 2 * MINUTE_MS, 6 * MINUTE_MS].map((upMs) =>
      pmfMean(settledSoFar(own(...old(20), made), facts({ deleted: [{ createdAt: made, upMs }] }))),
    );
    assert.deepEqual(
      expected,
      expected.toSorted((a, b) => a - b),
    );
    assert.ok((expected[0] ?? 21) < 20.1);
  });

  it('takes five posts deleted within seconds for lost when the oracle is five behind', () => {
    const made = Array.from({ length: 5 }, (_, index) => NOW - 10 * MINUTE_MS + index * 5_000);
    const deleted = made.map((createdAt) => ({ createdAt, upMs: 40_000 }));
    const pmf = settledSoFar(own(...old(5), ...made), facts({ oracle: oracle(5), deleted }));
    assert.ok(probabilityOf(pmf, 5) > 0.97);
  });

  it('takes a stall for a stall, whether the oracle admits it or not', () => {
    const made = Array.from({ length: 8 }, (_, index) => NOW - (40 - index * 4) * MINUTE_MS);
    const stalled = { changedAt: NOW - HOUR_MS };
    const posts = own(...old(20), ...made);
    for (const readAt of [NOW - HOUR_MS, NOW - MINUTE_MS, null]) {
      const pmf = settledSoFar(posts, facts({ oracle: oracle(20, { ...stalled, readAt }) }));
      assert.ok(probabilityOf(pmf, 28) > 0.9, `${readAt}: ${probabilityOf(pmf, 28)}`);
    }
  });

  it('leaves what a stalled oracle has not read the chance of other posts not to settle', () => {
    const made = Array.from({ length: 40 }, (_, index) => NOW - (50 - index) * MINUTE_MS);
    const stalled = oracle(20, { readAt: NOW - HOUR_MS, changedAt: NOW - HOUR_MS });
    const closed = { posts: 10_000, deleted: 140, lost: 60, extra: 0 };
    const pmf = settledSoFar(own(...old(20), ...made), facts({ oracle: stalled, closed }));
    assert.ok(Math.abs(pmfMean(pmf) - (20 + 40 * 0.98)) < 0.05, String(pmfMean(pmf)));
    assert.ok(probabilityTo(pmf, 59) > 0.5);
  });

  it('expects nothing more of an oracle that has everything, though it says that it did not read', () => {
    const made = Array.from({ length: 8 }, (_, index) => NOW - (40 - index * 4) * MINUTE_MS);
    const view = oracle(28, { readAt: NOW - HOUR_MS });
    const pmf = settledSoFar(own(...old(20), ...made), facts({ oracle: view }));
    assert.ok(probabilityOf(pmf, 28) > 0.9);
  });

  it('starts from our own count while the oracle has none', () => {
    const pmf = settledSoFar(own(...old(20)), facts());
    assert.equal(pmfQuantile(pmf, 0.5), 20);
    assert.ok(probabilityTo(pmf, 19) > 0 && 1 - probabilityTo(pmf, 20) > 0);
  });
});

describe('settledPosts', () => {
  it('divides a difference between deletions and the rest', () => {
    const soon = { createdAt: 0, upMs: 45_000 };
    assert.deepEqual(settledPosts(100, 97, [soon, soon], LAG), {
      posts: 100,
      deleted: 2,
      lost: 1,
      extra: 0,
    });
    assert.deepEqual(settledPosts(100, 102, [soon], LAG), { posts: 100, deleted: 0, lost: 0, extra: 2 });
    assert.equal(deletedUnread(lagShareOf(LAG), soon), 1);
  });

  it('moves the share of future posts that settle, and their offset', () => {
    const closed = { posts: 1_000, deleted: 20, lost: 30, extra: 0 };
    assert.ok(Math.abs(settledShare(closed) - 0.95) < 0.01);
    assert.ok(settledShare(NONE_SETTLED) > 0.99 && settledShare(NONE_SETTLED) < 1);
    assert.ok(Math.abs(pmfMean(futureOffset(closed, 100)) + 5) < 1);
    assert.deepEqual(futureOffset(closed, 0).probs.filter((prob) => prob > 0.5).length, 1);
  });
});

describe('the offset of settled and own count', () => {
  const worlds: Readonly<Record<string, OracleLife>> = {
    'an oracle like those seen': USUAL_LIFE,
    'one that does not say when it reads': { ...USUAL_LIFE, saysWhenItRead: false },
    'an account that deletes a tenth of its posts': { ...USUAL_LIFE, deletedSoon: 0.1 },
    'an oracle that misjudges one post in fifty': { ...USUAL_LIFE, misjudged: 0.02 },
    'one that stalls every other hour': { ...USUAL_LIFE, stallsPerDay: 12 },
  };
  for (const [name, life] of Object.entries(worlds)) {
    it(`is calibrated for ${name}, and better known than without the oracle's count`, () => {
      for (const minutesLeft of [1, 10, 60, 1_440]) {
        const { coverage, logScore, logScoreAlone, crps, crpsOwn } = livedThrough(life, minutesLeft);
        const at = `${minutesLeft} min: ${coverage} ${logScore} ${logScoreAlone} ${crps} ${crpsOwn}`;
        assert.ok(coverage >= 0.87, at);
        // A day before the close most of the offset is still to come, and the oracle cannot know it.
        assert.ok(logScore < logScoreAlone + (minutesLeft > 60 ? 0.05 : 0), at);
        assert.ok(crps < crpsOwn / 2, at);
      }
    });
  }
});

/** Means over windows lived through one after the other, each with the record of those before. */
function livedThrough(life: OracleLife, minutesLeft: number, windows = 80) {
  let closed = NONE_SETTLED;
  const sums = { coverage: 0, logScore: 0, logScoreAlone: 0, crps: 0, crpsOwn: 0 };
  for (let seed = 1; seed <= windows; seed++) {
    const window = lived(life, seed);
    const now = window.endAt - minutesLeft * MINUTE_MS;
    const posts = window.ownAt(now);
    const known = facts({ oracle: window.oracleAt(now), deleted: window.deletedAt(now), closed });
    const future = futureOffset(closed, (life.postsPerDay * minutesLeft) / 1_440);
    const offsetOf = (facts: SettlementFacts) =>
      plus(shifted(settledSoFar(posts, facts), -posts.count), future);
    const offset = offsetOf(known);
    const actual = window.settledFinal - window.ownFinal;
    const isCovered = pmfQuantile(offset, 0.05) <= actual && actual <= pmfQuantile(offset, 0.95);
    sums.coverage += Number(isCovered) / windows;
    sums.logScore -= Math.log(Math.max(1e-9, probabilityOf(offset, actual))) / windows;
    const alone = probabilityOf(offsetOf({ ...known, oracle: null }), actual);
    sums.logScoreAlone -= Math.log(Math.max(1e-9, alone)) / windows;
    sums.crps += pmfCrps(offset, actual) / windows;
    sums.crpsOwn += Math.abs(actual) / windows;
    const { ownFinal, settledFinal, endAt } = window;
    const settled = settledPosts(ownFinal, settledFinal, window.deletedAt(endAt + HOUR_MS), LAG);
    closed = {
      posts: closed.posts + settled.posts,
      deleted: closed.deleted + settled.deleted,
      lost: closed.lost + settled.lost,
      extra: closed.extra + settled.extra,
    };
  }
  return sums;
}

/**
 * The number of late posts by going through every combination of late and deleted posts, posts lost and extra ones,
 * for an oracle that says nothing about its readings.
 */
function enumerated(
  up: readonly number[],
  deleted: readonly DeletedPost[],
  behind: number,
): ReadonlyMap<number, number> {
  const share = lagShareOf(LAG);
  const count = up.length + deleted.length;
  const weights = new Map<number, number>();
  const each = (unread: (createdAt: number) => number) => (areLate: readonly boolean[]) =>
    areLate.reduce((product, isLate, index) => {
      const chance = unread(up[index] ?? NOW);
      return product * (isLate ? chance : 1 - chance);
    }, 1);
  const hypotheses: readonly [number, (areLate: readonly boolean[]) => number][] = [
    [0.977, each((createdAt) => 1 - share(NOW - createdAt))],
    [
      0.02,
      each((createdAt) => {
        const age = NOW - createdAt;
        const overlooked = 1 - share(age + (100 * LAG.p90 + 10 * 300_000) / 110);
        return overlooked + (1 - overlooked) * Math.max(0, 1 - age / 30_000);
      }),
    ],
    [
      0.003,
      (areLate) => {
        const late = areLate.filter(Boolean).length;
        return 1 / ((areLate.length + 1) * choices(areLate.length, late));
      },
    ],
  ];
  for (const [prior, chanceOf] of hypotheses) {
    for (let pattern = 0; pattern < 2 ** count; pattern++) {
      const areLate = up.map((_, index) => (pattern >> index) % 2 === 1);
      const late = areLate.filter(Boolean).length;
      let lost = 0;
      let weight = prior * chanceOf(areLate);
      deleted.forEach((post, index) => {
        const isLost = (pattern >> (up.length + index)) % 2 === 1;
        weight *= isLost ? deletedUnread(share, post) : 1 - deletedUnread(share, post);
        lost += Number(isLost);
      });
      for (let misjudged = 0; misjudged < 60; misjudged++) {
        const extra = late + lost + misjudged - behind;
        if (extra < 0) continue;
        const both = usualCount(0.5, misjudged, count) * usualCount(0.25, extra, count);
        countOf(new Array(late).fill(1 - 1 / 150)).probs.forEach((prob, kept) => {
          weights.set(kept, (weights.get(kept) ?? 0) + weight * both * prob);
        });
      }
    }
  }
  const total = [...weights.values()].reduce((all, weight) => all + weight, 0);
  return new Map([...weights].map(([late, weight]) => [late, weight / total]));
}

function choices(n: number, k: number): number {
  return k === 0 ? 1 : (choices(n, k - 1) * (n - k + 1)) / k;
}

/** A negative binomial probability by its definition, for `seen` posts in 150. */
function usualCount(seen: number, k: number, posts: number): number {
  const size = 1 / (1 / seen + 0.5);
  const mean = (seen / 150) * posts;
  let prob = (size / (size + mean)) ** size;
  for (let i = 0; i < k; i++) prob *= ((size + i) / (i + 1)) * (mean / (size + mean));
  return prob;
}
