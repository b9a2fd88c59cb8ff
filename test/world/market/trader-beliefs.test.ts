import assert from 'node:assert/strict';
import { createOverrides } from '../../../src/world/control/overrides.ts';
import { createTimeline } from '../../../src/world/life/timeline.ts';
import { createListedEvents } from '../../../src/world/market/listed-events.ts';
import { createTraderBeliefs } from '../../../src/world/market/trader-beliefs.ts';
import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { START_AT, testBase } from '../open.ts';

describe('createTraderBeliefs', () => {
  const base = testBase();
  const timeline = createTimeline(base);
  const traders = createTraderBeliefs({ ...base, timeline });
  const counts = createListedEvents(base)
    .listed(START_AT)
    .filter((event) => event.subject.type === 'posts');

  it('spreads exactly one over the buckets of a count', () => {
    for (const event of counts.filter((each) => each.endAt > START_AT)) {
      const sum = event.markets.reduce(
        (total, market) => total + traders.probability(event, market, START_AT),
        0,
      );
      assert.ok(Math.abs(sum - 1) < 1e-3, `${event.slug} ${sum}`);
    }
  });

  it('is sure of the result once the last posts are known', () => {
    for (const event of counts.filter((each) => each.endAt < START_AT - 24 * HOUR_MS).slice(-40)) {
      const final = timeline.countedBetween(
        event.subject.type === 'posts' ? event.subject.account.id : 'a',
        event.startAt,
        event.endAt,
      );
      const market = event.markets.find(({ lo, hi }) => final >= lo && (hi === null || final <= hi));
      assert.ok(market !== undefined);
      assert.ok(traders.probability(event, market, event.endAt + HOUR_MS) > 0.5, event.slug);
    }
  });

  it('ignores the posts of the last minutes', () => {
    const event = counts.find((each) => each.slug === 'account-a-of-posts-july-14-july-16');
    const market = event?.markets[4];
    assert.ok(event !== undefined && market !== undefined);
    const overrides = createOverrides();
    const other = createTraderBeliefs({
      ...base,
      overrides,
      timeline: createTimeline({ ...base, overrides }),
    });
    const post = { account: 'a', kind: 'original', text: null, parentId: null } as const;
    for (let index = 0; index < 50; index++) {
      const createdAt = START_AT + index;
      overrides.posts.push({
        ...post,
        id: String(3n * 10n ** 18n + BigInt(index)),
        createdAt,
        shownAt: createdAt,
      });
    }
    const at = (minutes: number) => START_AT + minutes * MINUTE_MS;
    assert.equal(other.probability(event, market, at(4)), traders.probability(event, market, at(4)));
    assert.notEqual(other.probability(event, market, at(14)), traders.probability(event, market, at(14)));
  });
});
