import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type PolledEvent,
  type Polling,
  pollEvery,
  pollInterval,
} from '../../../src/sources/posts/poll-interval.ts';
import { readsPerPost } from '../../../src/sources/posts/read-estimate.ts';
import { SOURCE_SETTINGS } from '../../../src/sources/settings.ts';
import { unit } from '../../../src/world/rng.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { pageLines } from '../../support/page-lines.ts';

const NOW = Date.parse('2026-04-09T13:41:35Z');
const POLLING: Polling = {
  fastestMs: 1_000,
  usualMs: 10_000,
  slowestMs: 60_000,
  nearPosts: 2,
  nearCloseMs: HOUR_MS,
};
/** Of width 20, up to `100+`. */
const BUCKETS = [0, 20, 40, 60, 80, 100].map((lo) => ({ lo }));

const open = (more: Partial<PolledEvent> = {}): PolledEvent => ({
  startAt: NOW - 24 * HOUR_MS,
  endAt: NOW + 24 * HOUR_MS,
  count: 30,
  buckets: BUCKETS,
  ...more,
});
const intervalOf = (...events: readonly PolledEvent[]) => pollInterval({ polling: POLLING, events }, NOW);

const pollings: fc.Arbitrary<Polling> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 3_600_000 }), { minLength: 3, maxLength: 3 }),
    fc.nat(30),
    fc.nat(3 * HOUR_MS),
  )
  .map(([intervals, nearPosts, nearCloseMs]) => {
    const [fastestMs = 1, usualMs = 2, slowestMs = 3] = intervals.sort((a, b) => a - b);
    return { fastestMs, usualMs, slowestMs, nearPosts, nearCloseMs };
  });
const events: fc.Arbitrary<readonly PolledEvent[]> = fc.array(
  fc
    .record({
      fromMs: fc.integer({ min: -100 * HOUR_MS, max: 100 * HOUR_MS }),
      lengthMs: fc.integer({ min: 1, max: 200 * HOUR_MS }),
      hasStart: fc.boolean(),
      count: fc.option(fc.nat(150)),
      width: fc.integer({ min: 1, max: 40 }),
    })
    .map(({ fromMs, lengthMs, hasStart, count, width }) => ({
      startAt: hasStart ? NOW + fromMs : null,
      endAt: NOW + fromMs + lengthMs,
      count,
      buckets: [0, 1, 2, 3].map((step) => ({ lo: step * width })),
    })),
  { maxLength: 5 },
);

describe('pollInterval', () => {
  it('is slow while nothing is open', () => {
    assert.equal(intervalOf(), POLLING.slowestMs);
    assert.equal(intervalOf(open({ startAt: NOW + 1 })), POLLING.slowestMs);
    assert.equal(intervalOf(open({ startAt: null })), POLLING.slowestMs);
    assert.equal(intervalOf(open({ endAt: NOW - MINUTE_MS })), POLLING.slowestMs);
  });

  it('is usual while a window is open', () => {
    assert.equal(intervalOf(open()), POLLING.usualMs);
    assert.equal(intervalOf(open(), open({ startAt: NOW + 1, count: 40 })), POLLING.usualMs);
  });

  it('is fast within a few posts of a bucket’s edge, on either side', () => {
    const counts = [17, 18, 19, 20, 21, 22].map((count) => intervalOf(open({ count })));
    assert.deepEqual(counts, [10_000, 1_000, 1_000, 1_000, 1_000, 10_000]);
    assert.equal(intervalOf(open({ count: 0 })), POLLING.usualMs);
    assert.equal(intervalOf(open({ count: 400 })), POLLING.usualMs);
    assert.equal(intervalOf(open(), open({ count: 40 })), POLLING.fastestMs);
  });

  it('is fast near the close, and until the last posts of the window were seen', () => {
    assert.equal(intervalOf(open({ endAt: NOW + HOUR_MS + 1 })), POLLING.usualMs);
    assert.equal(intervalOf(open({ endAt: NOW + HOUR_MS })), POLLING.fastestMs);
    assert.equal(intervalOf(open({ endAt: NOW - MINUTE_MS + 1 })), POLLING.fastestMs);
  });

  it('is fast while the count is not known', () => {
    assert.equal(intervalOf(open({ count: null })), POLLING.fastestMs);
  });

  it('leaves out buckets whose range is not known', () => {
    assert.equal(intervalOf(open({ buckets: [{ lo: null }] })), POLLING.usualMs);
  });

  it('is one of the three intervals for any events, and the same for the same facts', () => {
    fc.assert(
      fc.property(pollings, events, (polling, given) => {
        const interval = pollInterval({ polling, events: given }, NOW);
        assert.ok([polling.fastestMs, polling.usualMs, polling.slowestMs].includes(interval));
        assert.equal(pollInterval({ polling, events: [...given].reverse() }, NOW), interval);
      }),
    );
  });

  it('never slows down when another event is added, a count comes nearer or the close does', () => {
    fc.assert(
      fc.property(pollings, events, fc.nat(40), fc.nat(HOUR_MS), (polling, given, posts, ms) => {
        const interval = (list: readonly PolledEvent[], plan = polling) =>
          pollInterval({ polling: plan, events: list }, NOW);
        const [first, ...rest] = given;
        if (first === undefined) return;
        assert.ok(interval(given) <= interval(rest));
        const wider = {
          ...polling,
          nearPosts: polling.nearPosts + posts,
          nearCloseMs: polling.nearCloseMs + ms,
        };
        assert.ok(interval(given, wider) <= interval(given));
      }),
    );
  });

  it('is slow exactly when nothing is open, and fast before any post can move a count over an edge unseen', () => {
    fc.assert(
      fc.property(pollings, events, (polling, given) => {
        const interval = pollInterval({ polling, events: given }, NOW);
        const opened = given.filter(
          ({ startAt, endAt }) => startAt !== null && startAt <= NOW && NOW < endAt + MINUTE_MS,
        );
        assert.equal(interval === polling.slowestMs, opened.length === 0);
        if (interval !== polling.usualMs) return;
        for (const { count, buckets } of opened) {
          assert.ok(count !== null);
          const bucketAt = (posts: number) => buckets.filter(({ lo }) => (lo ?? 0) <= posts).length;
          // Not even `nearPosts` posts more or less make it another bucket.
          assert.equal(bucketAt(count + polling.nearPosts), bucketAt(count));
          assert.equal(bucketAt(Math.max(0, count - polling.nearPosts)), bucketAt(count));
        }
      }),
    );
  });

  it('does not depend on events where the intervals are the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600_000 }), events, (ms, given) => {
        assert.equal(pollInterval({ polling: pollEvery(ms), events: given }, NOW), ms);
      }),
    );
  });
});

describe('what polling costs', () => {
  const DAYS = 28;
  const POSTS_A_DAY = 40;
  const WEEK_MS = 7 * DAY_MS;

  /** Windows of a week, of which one begins each `everyDays`. */
  function windows(everyDays: number): readonly { readonly startAt: number; readonly endAt: number }[] {
    const starts = Array.from(
      { length: DAYS / everyDays + 2 },
      (_, index) => (index - 2) * everyDays * DAY_MS,
    );
    return starts.map((startAt) => ({ startAt, endAt: startAt + WEEK_MS }));
  }

  /** When an account posts by chance, day and night. */
  function postTimes(): readonly number[] {
    const times: number[] = [];
    for (let at = -WEEK_MS, post = 0; at < DAYS * DAY_MS; post++) {
      times.push(at);
      at += (-Math.log(1 - unit('post', post)) * DAY_MS) / POSTS_A_DAY;
    }
    return times;
  }

  /** Requests a day. Between two posts, and two borders of a window, the interval stays the same. */
  function requestsADay(polling: Polling, everyDays: number): number {
    const posts = postTimes();
    const spans = windows(everyDays);
    const borders = spans.flatMap(({ startAt, endAt }) => [
      startAt,
      endAt - polling.nearCloseMs,
      endAt,
      endAt + MINUTE_MS,
    ]);
    const changes = [...posts, ...borders, 0, DAYS * DAY_MS]
      .filter((at) => at >= 0 && at <= DAYS * DAY_MS)
      .sort((a, b) => a - b);
    const buckets = Array.from({ length: 26 }, (_, index) => ({ lo: 20 * index }));
    let requests = 0;
    for (const [index, at] of changes.entries()) {
      const lastsMs = (changes[index + 1] ?? at) - at;
      const open = spans.filter(({ startAt, endAt }) => startAt <= at && at < endAt + MINUTE_MS);
      const polled = open.map(({ startAt, endAt }) => {
        const count = posts.filter((post) => post >= startAt && post < endAt && post <= at).length;
        return { startAt, endAt, buckets, count };
      });
      requests += lastsMs / pollInterval({ polling, events: polled }, at);
    }
    return requests / DAYS;
  }

  it('is what the page of the sources says', () => {
    const reads = readsPerPost(SOURCE_SETTINGS).all * POSTS_A_DAY * 30;
    const row = (what: string, requests: number, fastestMs: number) =>
      `| ${[what, requests, (15 * MINUTE_MS) / fastestMs, reads]
        .map((cell) => (typeof cell === 'number' ? thousands(cell) : cell))
        .join(' | ')} |`;
    const rows = [
      row('each second', requestsADay(pollEvery(1_000), 3.5), 1_000),
      row('each 10 s', requestsADay(pollEvery(10_000), 3.5), 10_000),
      row('adaptive, two windows always open', requestsADay(POLLING, 3.5), 1_000),
      row('adaptive, a window open each other week', requestsADay(POLLING, 14), 1_000),
    ];
    const page = pageLines('src/sources/README.md');
    assert.deepEqual(
      rows.filter((each) => !page.includes(each)),
      [],
    );
  });
});

function thousands(value: number): string {
  const rounded = value > 10_000 ? Math.round(value / 100) * 100 : Math.round(value);
  return rounded.toLocaleString('en-US');
}
