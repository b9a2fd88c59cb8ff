import assert from 'node:assert/strict';
import { setImmediate as immediate } from 'node:timers/promises';
import { liveEndpoints } from '../../../src/sources/live.ts';
import { eventsSource } from '../../../src/sources/market/events.ts';
import { listedPrices } from '../../../src/sources/market/listed-prices.ts';
import { SOURCE_SETTINGS } from '../../../src/sources/settings.ts';
import {
  type EventFact,
  type EventRecord,
  type Fact,
  HOUR_MS,
  type PricesFact,
} from '../../../streams/internal.ts';
import { isPartition } from '../../../streams/model/partition.ts';
import { FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { wireEvent, wireMarket, yesToken } from '../../support/payloads.ts';
import { ANSWERED } from '../../support/scripted-server.ts';
import { fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';
import { takeIntervals } from '../../support/virtual-intervals.ts';

const NOW = Date.parse('2026-04-09T14:00:00Z');

describe('eventsSource', () => {
  let run: SourceRun | undefined;
  let open: unknown[] = [];
  let closed: unknown[] = [];
  let bySlug: Record<string, unknown> = {};
  let now = NOW;
  const stage = sourceStage((server) => {
    [open, closed, bySlug, now] = [[], [], {}, NOW];
    server.answer(({ path, query }, response) => {
      if (path === '/events/keyset') return { events: query.get('closed') === 'true' ? closed : open };
      const event = bySlug[path.replace('/events/slug/', '')];
      if (event !== undefined) return event;
      response.statusCode = 404;
      return { type: 'not found error', error: 'slug not found' };
    });
  });

  function start(lookups = fakeLookups(), settings = FAST): SourceRun {
    run = stage.run(eventsSource(localEndpoints(stage.server), settings), lookups, () => now);
    return run;
  }

  const eventFacts = (facts: readonly Fact[]) =>
    facts.filter((fact): fact is EventFact => fact.kind === 'event');
  const priceFacts = (facts: readonly Fact[]) =>
    facts.filter((fact): fact is PricesFact => fact.kind === 'prices');

  async function firstEvent(event: unknown): Promise<EventFact> {
    open = [event];
    const { facts } = start();
    await eventually('an event comes', () => eventFacts(facts()).length > 0);
    const [fact] = eventFacts(facts());
    assert.ok(fact);
    return fact;
  }

  it('delivers an event with its window, its buckets in order and its first prices', async () => {
    const fact = await firstEvent(wireEvent(206602));
    assert.deepEqual(
      { ...fact, buckets: fact.buckets.map(({ title, lo, hi, won }) => ({ title, lo, hi, won })) },
      {
        kind: 'event',
        eventId: 206602,
        slug: 'account-a-of-posts-april-3-april-10',
        title: 'Account A # posts April 3 - April 10, 2026?',
        image: 'https://images.invalid/a.png',
        subject: { type: 'posts', account: 'a' },
        startAt: Date.parse('2026-04-03T16:00:00Z'),
        endAt: Date.parse('2026-04-10T16:00:00Z'),
        isClosed: false,
        buckets: [
          { title: '<40', lo: 0, hi: 39, won: null },
          { title: '40-239', lo: 40, hi: 239, won: null },
          { title: '240+', lo: 240, hi: null, won: null },
        ],
      },
    );
    const [prices] = priceFacts(run?.facts() ?? []);
    assert.deepEqual(
      prices?.quotes.find(({ token }) => token === yesToken(0)),
      { token: yesToken(0), bid: 0.232, ask: 0.233, last: 0.232, ui: 0.2325 },
    );
    assert.deepEqual([...(stage.server.requests[0]?.query ?? [])].slice(0, 2), [
      ['tag_id', '7'],
      ['closed', 'false'],
    ]);
  });

  it('has the fee of each bucket as the market states it, and none where it does not', async () => {
    const { buckets } = await firstEvent(
      wireEvent(1, {
        markets: [
          wireMarket('<40', 0, { feesEnabled: false }),
          wireMarket('40-239', 1, {
            feesEnabled: true,
            feeSchedule: { rate: 0.03, exponent: 1, takerOnly: true },
          }),
          wireMarket('240+', 2, { feesEnabled: true, feeSchedule: { rate: 'much', exponent: 1 } }),
        ],
      }),
    );
    assert.deepEqual(
      buckets.map(({ fee }) => fee),
      [{ rate: 0, exponent: 1 }, { rate: 0.03, exponent: 1 }, undefined],
    );
  });

  it('delivers what was traded in each bucket in their order, and not again before a minute is nearly over', async () => {
    const volumes = (facts: readonly Fact[]) => facts.filter((fact) => fact.kind === 'volumes');
    const traded = (more: number) =>
      wireEvent(1, {
        markets: [
          wireMarket('240+', 2, { volumeNum: 7.6 + more }),
          wireMarket('<40', 0, { volumeNum: 12 + more }),
          wireMarket('40-239', 1, { volumeNum: 'much' }),
        ],
      });
    open = [traded(0)];
    const { facts } = start();
    await eventually('they come', () => volumes(facts()).length > 0);
    assert.deepEqual(volumes(facts()), [{ kind: 'volumes', eventId: 1, volumes: [12, null, 8] }]);
    open = [traded(100)];
    const asked = stage.server.requests.length;
    await eventually('the list is read again', () => stage.server.requests.length > asked + 6);
    assert.equal(volumes(facts()).length, 1);
  });

  describe('says that the events are listed', () => {
    const pageOf = (cursor: string | null) => ({
      events: [wireEvent(cursor === null ? 1 : 2)],
      next_cursor: 'c1',
    });

    it('once the last page is delivered, and those of crypto once they were looked up', async () => {
      stage.server.answer(({ path, query }, response) => {
        if (path === '/events/keyset' && query.get('closed') === 'false') {
          const cursor = query.get('after_cursor');
          return cursor === null ? pageOf(cursor) : { events: [wireEvent(2)] };
        }
        if (path === '/events/keyset') return { events: [] };
        response.statusCode = 404;
        return { type: 'not found error', error: 'slug not found' };
      });
      const { facts } = start();
      const listings = () => facts().filter(({ kind }) => kind === 'listing');
      await eventually('both are listed', () => listings().length >= 2);
      const told = facts().flatMap((fact): readonly (number | string)[] => {
        if (fact.kind === 'event') return [fact.eventId];
        return fact.kind === 'listing' ? [fact.subject] : [];
      });
      assert.deepEqual(told.slice(0, 4), [1, 2, 'posts', 'crypto']);
    });

    it('not while a page cannot be read', async () => {
      stage.server.answer(({ query }, response) => {
        const cursor = query.get('after_cursor');
        if (cursor === null) return pageOf(cursor);
        response.statusCode = 500;
        return {};
      });
      const { facts, error } = start();
      await eventually('it fails', () => error() !== undefined);
      assert.deepEqual(
        eventFacts(facts()).map(({ eventId }) => eventId),
        [1],
      );
      assert.ok(!facts().some(({ kind }) => kind === 'listing'));
    });
  });

  it('delivers an event again only when something of it has changed', async () => {
    open = [wireEvent(1)];
    const { facts, deliveries } = start();
    await eventually('several polls pass', () => deliveries.length > 5);
    assert.equal(eventFacts(facts()).length, 1);
    open = [wireEvent(1, { endDate: '2026-04-11T16:00:00Z' })];
    await eventually('the change comes', () => eventFacts(facts()).length === 2);
    open = [wireEvent(1)];
    await eventually('the change back comes', () => eventFacts(facts()).length === 3);
  });

  it('does not deliver after a restart what the log already holds', async () => {
    open = [wireEvent(1)];
    const { lookups, facts } = start();
    await eventually('it is delivered', () => eventFacts(facts()).length === 1);
    run?.stop();
    const again = start(lookups);
    await eventually('several polls pass', () => again.deliveries.length > 3);
    assert.deepEqual(eventFacts(again.facts()), []);
  });

  it('delivers an event again that the log takes to be over while the market does not', async () => {
    open = [wireEvent(1)];
    const { lookups, facts } = start();
    await eventually('it is delivered', () => eventFacts(facts()).length === 1);
    const known = lookups.event(1);
    assert.ok(known);
    // A calendar that was days ahead for a while ends events, and the streams forget the ended.
    lookups.records.set(1, { ...known, phase: 'ended' });
    await eventually('it is delivered again', () => eventFacts(facts()).length >= 2);
    assert.notEqual(lookups.event(1)?.phase, 'ended');
  });

  it('delivers the prices of an upcoming event as they change, and leaves an active one to its books', async () => {
    const marketsAt = (bestBid: number) => ({
      markets: [wireMarket('<40', 0, { bestBid }), wireMarket('40+', 1)],
    });
    open = [wireEvent(1, marketsAt(0.1))];
    const { facts, lookups, deliveries, answeredAt } = start();
    await eventually('first prices', () => priceFacts(facts()).length === 1);
    const heardAt = () => answeredAt.get(listedPrices(1, lookups.event(1)?.buckets ?? []));
    const firstAt = heardAt() ?? Number.NaN;
    await eventually('the same prices are heard again', () => (heardAt() ?? 0) > firstAt);
    assert.equal(priceFacts(facts()).length, 1);
    open = [wireEvent(1, marketsAt(0.2))];
    await eventually('second prices', () => priceFacts(facts()).length === 2);
    const record = lookups.records.get(1);
    assert.ok(record);
    lookups.records.set(1, { ...record, phase: 'active' });
    open = [wireEvent(1, marketsAt(0.3))];
    const count = deliveries.length;
    // A read that was under way has seen it as upcoming.
    await eventually('a poll', () => deliveries.length > count + 1);
    const lastAt = heardAt();
    await eventually('further polls', () => deliveries.length > count + 4);
    assert.equal(priceFacts(facts()).length, 2);
    assert.equal(heardAt(), lastAt);
    lookups.records.set(1, { ...record, phase: 'closed' });
    open = [wireEvent(1, marketsAt(0.2))];
    await eventually(
      'prices like those before it was active are news',
      () => priceFacts(facts()).length === 3,
    );
  });

  it('hears nothing of the prices of other buckets than those in the list', async () => {
    open = [wireEvent(1)];
    const { lookups, answeredAt } = start();
    const heard = (buckets: EventRecord['buckets'] = []) => answeredAt.get(listedPrices(1, buckets));
    await eventually('they are heard of', () => heard(lookups.event(1)?.buckets) !== undefined);
    const before = lookups.event(1)?.buckets;
    open = [wireEvent(1, { markets: [wireMarket('<70', 5), wireMarket('70+', 6)] })];
    await eventually(
      'other buckets are',
      () => heard(lookups.event(1)?.buckets) !== undefined && lookups.event(1)?.buckets.length === 2,
    );
    const lastAt = heard(before);
    const othersAt = heard(lookups.event(1)?.buckets) ?? Number.NaN;
    await eventually('they are again', () => (heard(lookups.event(1)?.buckets) ?? 0) > othersAt);
    assert.equal(heard(before), lastAt);
  });

  it('reads cursors to the end, and offsets where cursors are not served', async () => {
    const many = Array.from({ length: 45 }, (_, index) =>
      wireEvent(index + 1, { slug: `account-a-of-posts-${index}` }),
    );
    stage.server.answer(({ path, query }, response) => {
      if (path !== '/events/keyset' || query.get('closed') === 'true') {
        response.statusCode = 404;
        return {};
      }
      const from = Number(query.get('after_cursor') ?? 0);
      return {
        events: many.slice(from, from + 20),
        ...(from + 20 < many.length && { next_cursor: String(from + 20) }),
      };
    });
    const first = start();
    await eventually('all come', () => eventFacts(first.facts()).length === 45);
    run?.stop();
    for (const status of [404, 410, 422]) {
      stage.server.answer(({ path, query }, response) => {
        response.statusCode = path === '/events' ? 200 : status;
        const from = Number(query.get('offset'));
        return path === '/events' && query.get('closed') === 'false' ? many.slice(from, from + 20) : [];
      });
      const { facts } = start();
      await eventually('all come', () => eventFacts(facts()).length === 45);
      run?.stop();
    }
  });

  it('reads closed events far back at first, and delivers the winner once it is settled', async () => {
    const settled = (yes: string, no: string, extra = {}) => ({
      closed: true,
      outcomePrices: `["${yes}", "${no}"]`,
      ...extra,
    });
    closed = [
      wireEvent(1, {
        closed: true,
        markets: [
          wireMarket('<40', 0, settled('0', '1', { umaResolutionStatus: 'resolved' })),
          wireMarket('40-59', 1, settled('1', '0')),
          wireMarket('60-79', 2, settled('1', '0', { umaResolutionStatus: 'disputed' })),
          wireMarket('80-99', 3, settled('0.5', '0.5')),
          wireMarket('100+', 4, { outcomePrices: '["0", "1"]' }),
        ],
      }),
    ];
    const { facts } = start(fakeLookups(), { ...FAST, closedEventsPeriodMs: 20 });
    await eventually('it comes', () => eventFacts(facts()).length === 1);
    const [fact] = eventFacts(facts());
    assert.equal(fact?.isClosed, true);
    assert.deepEqual(
      fact?.buckets.map(({ won }) => won),
      [false, true, null, null, null],
    );
    const days = () =>
      stage.server.requests
        .filter(({ query }) => query.get('closed') === 'true')
        .map(({ query }) => (NOW - Date.parse(query.get('end_date_min') ?? '')) / 86_400_000);
    now += 2 * 86_400_000;
    await eventually('it is read again', () => days().length > 1);
    await eventually('and again', () => {
      now += 100;
      return days().length > 2;
    });
    // Three days before the last reading, however long ago that was.
    assert.deepEqual(days().slice(0, 2), [100, 3]);
    assert.equal(days()[2], 1);
  });

  it('goes on listing open events while past prices are slow, and delivers a settled event with them', async () => {
    const held: (() => void)[] = [];
    stage.server.answer(({ path, query, body }, response) => {
      if (path === '/events/keyset')
        return { events: query.get('closed') === 'true' ? [wireEvent(1, { closed: true })] : [wireEvent(2)] };
      if (path === '/batch-prices-history') {
        const { markets, end_ts } = JSON.parse(body);
        const history = Object.fromEntries(markets.map((token: string) => [token, [{ t: end_ts, p: 0.3 }]]));
        held.push(() => response.end(JSON.stringify({ history })));
        return ANSWERED;
      }
      response.statusCode = 404;
      return { error: 'slug not found' };
    });
    const { facts, deliveries } = start();
    const ids = () => eventFacts(facts()).map(({ eventId }) => eventId);
    const listings = () =>
      facts().filter((fact) => fact.kind === 'listing' && fact.subject === 'posts').length;
    await eventually('past prices are asked for', () => held.length > 0);
    const before = listings();
    await eventually('open events are listed again', () => listings() > before);
    assert.deepEqual(ids(), [2]);

    await eventually('it is delivered', () => {
      for (const answer of held.splice(0)) answer();
      return ids().includes(1);
    });
    const delivery = deliveries.find((each) => eventFacts(each).some(({ eventId }) => eventId === 1)) ?? [];
    assert.deepEqual(
      delivery.flatMap((fact) => (fact.kind === 'past_prices' ? [fact.prices] : [])),
      Array.from({ length: 3 }, () => [0.3, 0.3, 0.3]),
    );
  });

  it('does not read the closed events again when it is started anew soon after', async () => {
    const lookups = fakeLookups();
    const source = eventsSource(localEndpoints(stage.server), FAST);
    const asked = () => stage.server.requests.filter(({ query }) => query.get('closed') === 'true').length;
    for (const expected of [1, 1, 2]) {
      const again = stage.run(source, lookups, () => now);
      // The open events are read again only after the closed ones had their turn.
      await eventually('a round', () => again.deliveries.length > 3);
      again.stop();
      assert.equal(asked(), expected);
      now += FAST.closedEventsPeriodMs / 3;
    }
  });

  it('reads a list that has failed as soon as it may be asked for again, not a period later', async () => {
    open = [wireEvent(1)];
    let failures = 1;
    // In one list alone: another one may have told the event before this one fails.
    stage.server.answer(({ path, query }, response) => {
      const isOurs =
        path === '/events/keyset' && query.get('tag_id') === '7' && query.get('closed') !== 'true';
      if (isOurs && failures-- > 0) {
        response.statusCode = 500;
        return {};
      }
      return { events: isOurs ? open : [] };
    });
    const seldom = { eventsPeriodMs: HOUR_MS, closedEventsPeriodMs: HOUR_MS, cryptoEventsPeriodMs: HOUR_MS };
    const source = eventsSource(localEndpoints(stage.server), { ...FAST, ...seldom });
    const first = stage.run(source, fakeLookups(), () => now);
    await eventually('it fails', () => first.error() !== undefined);
    run = stage.run(source, fakeLookups(), () => now);
    const { facts } = run;
    await eventually('the event comes', () => eventFacts(facts()).length > 0);
  });

  it('asks by slug for an active event that no list shows', async () => {
    const lookups = fakeLookups();
    lookups.records.set(5, activeEvent(5));
    bySlug['account-a-of-posts-5'] = wireEvent(5, { slug: 'account-a-of-posts-5', closed: true });
    const { facts } = start(lookups);
    await eventually('its end is delivered', () => eventFacts(facts()).some(({ isClosed }) => isClosed));
  });

  it('delivers an event with a label it does not understand without a range, and tells it once', async () => {
    const complete = [wireMarket('<40', 0), wireMarket('40+', 1)];
    open = [
      wireEvent(1, { markets: [wireMarket('Other', 2), ...complete] }),
      wireEvent(2, { slug: 'account-a-of-posts-2' }),
    ];
    const { facts, refusals, deliveries } = start();
    await eventually('several polls pass', () => deliveries.length > 5);
    const [first, second] = eventFacts(facts());
    assert.deepEqual(
      first?.buckets.map(({ title, lo, hi }) => [title, lo, hi]),
      [
        ['<40', 0, 39],
        ['40+', 40, null],
        ['Other', null, null],
      ],
    );
    // The others would tile, but they are not all there is.
    assert.equal(isPartition(first?.buckets ?? []), false);
    assert.equal(second?.eventId, 2);
    assert.deepEqual(refusals, ['event 1 has a bucket labelled "Other", expected a range of counts']);
    open = [wireEvent(1, { markets: complete })];
    await eventually('it is whole', () => eventFacts(facts()).length === 3);
    open = [wireEvent(1, { markets: [wireMarket('Other', 2), ...complete] })];
    await eventually('it is told again', () => refusals.length === 2);
  });

  describe('with an odd event on the first page', () => {
    const own = Array.from({ length: 9 }, (_, index) =>
      wireEvent(index + 1, { slug: `account-a-of-posts-${index}` }),
    );
    const settled = wireEvent(50, { slug: 'account-a-of-posts-settled', closed: true });
    const crypto = wireEvent(60, { slug: 'bitcoin-above-on-april-9', series: [] });
    const foreign = (extra: object) => ({ ...wireEvent(99), slug: 'somebody-else', series: [], ...extra });
    const PAGE = 4;

    /** Pages of four with a cursor, the odd one second on the first page of either list. */
    function serve(odd: unknown) {
      bySlug['bitcoin-above-on-april-9'] = crypto;
      stage.server.answer(({ path, query }, response) => {
        if (path !== '/events/keyset') {
          const event = bySlug[path.replace('/events/slug/', '')];
          if (event === undefined) response.statusCode = 404;
          return event ?? {};
        }
        const all = query.get('closed') === 'true' ? [settled] : own;
        const listed = [...all.slice(0, 1), odd, ...all.slice(1)];
        const from = Number(query.get('after_cursor') ?? 0);
        const next = from + PAGE < listed.length ? { next_cursor: String(from + PAGE) } : {};
        return { events: listed.slice(from, from + PAGE), ...next };
      });
    }

    async function readAll(odd: unknown) {
      serve(odd);
      const started = start();
      const ids = () => eventFacts(started.facts()).map(({ eventId }) => eventId);
      const expected = [...own.map(({ id }) => Number(id)), 50, 60];
      await eventually('all others come', () => expected.every((id) => ids().includes(id)));
      const seen = started.deliveries.length;
      await eventually('polls pass', () => started.deliveries.length > seen + 6);
      assert.equal(started.error(), undefined);
      return { ids: ids(), expected, refusals: started.refusals, facts: started.facts() };
    }

    for (const [name, odd] of [
      ['without a title', foreign({ title: null })],
      ['with a blank in its slug', foreign({ slug: 'some body else' })],
      ['without a slug', foreign({ slug: null })],
      ['with an ask of 1.0000001', foreign({ markets: [wireMarket('1', 0, { bestAsk: 1.0000001 })] })],
      ['whose id is a fraction', foreign({ id: '1.5' })],
      ['whose markets are text', foreign({ markets: 'none' })],
      ['whose series are text', foreign({ series: 'weekly' })],
      ['that ends on no date', foreign({ endDate: 'soon' })],
      ['that is null', null],
      ['that is a number', 7],
      ['that is a list', [1]],
    ] as const) {
      it(`leaves one of others ${name} out and reads all of ours, open, closed and crypto`, async () => {
        const { ids, expected, refusals } = await readAll(odd);
        assert.deepEqual([new Set(ids), refusals], [new Set(expected), []]);
      });
    }

    const ours = (extra: object) => ({ ...wireEvent(77, { slug: 'account-a-of-posts-odd' }), ...extra });
    const withMarket = (extra: object) =>
      ours({ markets: [wireMarket('<40', 0), wireMarket('40+', 1, { ...extra })] });
    for (const [name, odd, told] of [
      ['without a title', ours({ title: null }), /^event 77 cannot be read: title: /],
      [
        'with a blank in its slug',
        ours({ slug: 'account-a-of-posts-o dd' }),
        /^event 77 cannot be read: slug: /,
      ],
      ['without an id', ours({ id: null }), /^event account-a-of-posts-odd cannot be read: id: /],
      [
        'that only its series tells from others',
        ours({ id: {}, slug: 5 }),
        /^event without id and slug cannot be read: id: /,
      ],
      ['that ends on no date', ours({ endDate: 'soon' }), /^event 77 cannot be read: endDate: /],
      ['that has no end', ours({ endDate: null }), /^event 77 has no end$/],
      ['with markets that are text', ours({ markets: 'none' }), /^event 77 cannot be read: markets: /],
      ['with a bucket that is null', ours({ markets: [wireMarket('<40', 0), null] }), /: markets\.1: /],
      [
        'with tokens that are numbers',
        withMarket({ clobTokenIds: '[7,8]' }),
        /^event 77 cannot be read: markets\.1\.clobTokenIds\.0: /,
      ],
      [
        'with a list in half',
        withMarket({ outcomes: '["Yes"' }),
        /^event 77 .* markets\.1\.outcomes: not JSON/,
      ],
      [
        'with a bucket without tokens',
        withMarket({ clobTokenIds: '' }),
        /^event 77 has an outcome without tokens$/,
      ],
      ['with a label that is a number', withMarket({ groupItemTitle: 40 }), /: markets\.1\.groupItemTitle: /],
    ] as const) {
      it(`refuses one of ours ${name} alone, and tells it once`, async () => {
        const { ids, expected, refusals, facts } = await readAll(odd);
        assert.deepEqual(new Set(ids), new Set(expected));
        assert.equal(refusals.length, 1, refusals.join());
        assert.match(refusals[0] ?? '', told);
        assert.ok(facts.every((fact) => !('eventId' in fact) || fact.eventId !== 77));
      });
    }
  });

  it('takes a price that cannot be read for an unknown one, and says nothing of it', async () => {
    const odd = [1.0000001, -0.1, '0.5', {}, 1e300, true];
    const prices = ['["1.0000001", "0"]', '["NaN", "0.5"]', '["0.4", "-1"]', 'none', '{}', 7];
    open = [
      wireEvent(1, {
        markets: odd.map((price, index) =>
          wireMarket(`${index}`, index, {
            bestBid: 0.25,
            bestAsk: price,
            lastTradePrice: price,
            outcomePrices: prices[index],
          }),
        ),
      }),
    ];
    const { facts, refusals, error } = start();
    await eventually('it comes', () => priceFacts(facts()).length === 1);
    assert.deepEqual(
      priceFacts(facts())[0]?.quotes.map(({ bid, ask, last, ui }) => [bid, ask, last, ui]),
      odd.map((_, index) => [0.25, null, null, index === 2 ? 0.4 : null]),
    );
    assert.equal(eventFacts(facts())[0]?.buckets.length, odd.length);
    assert.deepEqual([refusals, error()], [[], undefined]);
  });

  it('has no winner in a settled bucket whose prices cannot be read', async () => {
    const settled = (outcomePrices: unknown) => ({ closed: true, outcomePrices });
    const fact = await firstEvent(
      wireEvent(1, {
        closed: true,
        markets: [
          wireMarket('<40', 0, settled('["0", "1"]')),
          wireMarket('40-59', 1, settled('["1", "-0"]')),
          wireMarket('60+', 2, settled('["1"')),
        ],
      }),
    );
    assert.deepEqual(
      fact.buckets.map(({ won }) => won),
      [false, null, null],
    );
  });

  it('reads an event whose image and price to beat cannot be read', async () => {
    const fact = await firstEvent(wireEvent(1, { image: 5, eventMetadata: 'text' }));
    assert.equal(fact.image, '');
  });

  it('refuses a list in which no event has a slug, and still reads the closed and the crypto events', async () => {
    const nameless = Array.from({ length: 5 }, (_, index) => ({
      ...wireEvent(index),
      slug: undefined,
      series: [],
    }));
    open = nameless;
    closed = [wireEvent(50, { closed: true })];
    bySlug['bitcoin-above-on-april-9'] = wireEvent(60, { slug: 'bitcoin-above-on-april-9', series: [] });
    const { facts, error, refusals } = start();
    await eventually('it fails', () => error() !== undefined);
    assert.deepEqual(refusals, ['none of the 5 events listed has a slug']);
    assert.deepEqual(
      eventFacts(facts()).map(({ eventId }) => eventId),
      [50, 60],
    );
  });

  for (const [name, page] of [
    ['no list', { events: 'none' }],
    ['a cursor that is an object', { events: [wireEvent(1)], next_cursor: {} }],
  ] as const) {
    it(`refuses a page with ${name}, and still reads the closed and the crypto events`, async () => {
      closed = [wireEvent(50, { closed: true })];
      bySlug['bitcoin-above-on-april-9'] = wireEvent(60, { slug: 'bitcoin-above-on-april-9', series: [] });
      stage.server.answer(({ path, query }, response) => {
        if (path === '/events/keyset') return query.get('closed') === 'true' ? { events: closed } : page;
        const event = bySlug[path.replace('/events/slug/', '')];
        if (event === undefined) response.statusCode = 404;
        return event ?? {};
      });
      const { facts, error, refusals } = start();
      await eventually('it fails', () => error() !== undefined);
      assert.equal(refusals.length, 1);
      assert.deepEqual(
        eventFacts(facts()).map(({ eventId }) => eventId),
        [50, 60],
      );
    });
  }

  it('tells of a document that cannot be read under the slug it was asked for', async () => {
    const lookups = fakeLookups();
    lookups.records.set(5, activeEvent(5));
    bySlug['account-a-of-posts-5'] = { type: 'event', name: 'of another form' };
    const { refusals, deliveries, error } = start(lookups);
    await eventually('several polls pass', () => deliveries.length > 5);
    assert.equal(error(), undefined);
    assert.equal(refusals.length, 1);
    assert.match(refusals[0] ?? '', /^event account-a-of-posts-5 cannot be read: /);
  });

  it('takes lists in text as text, as lists, as nothing and where they are absent', async () => {
    const lists = { outcomes: ['Yes', 'No'], outcomePrices: ['0.5', '0.5'], clobTokenIds: ['1', '2'] };
    const fact = await firstEvent(
      wireEvent(1, {
        markets: [
          wireMarket('<40', 0, lists),
          wireMarket('40-59', 1, { outcomePrices: '', outcomes: null }),
          wireMarket('60+', 2, { outcomePrices: undefined, outcomes: undefined }),
        ],
      }),
    );
    assert.deepEqual(
      fact.buckets.map((bucket) => bucket.yesToken),
      ['1', yesToken(1), yesToken(2)],
    );
  });

  it('leaves events of others alone', async () => {
    open = [wireEvent(1, { slug: 'somebody-else', series: [], markets: [wireMarket('Other', 0)] })];
    const { facts, refusals, deliveries } = start();
    await eventually('polls pass', () => deliveries.length > 2);
    assert.deepEqual([facts().filter(({ kind }) => kind !== 'listing'), refusals], [[], []]);
  });

  describe('of crypto prices', () => {
    const upDown = (slug: string, extra = {}) =>
      wireEvent(9, {
        slug,
        series: [],
        description: '',
        endDate: '2026-04-09T16:00:00Z',
        markets: [wireMarket('', 0, { outcomes: '["Up", "Down"]', ...extra })],
      });

    it('has a bucket for each side of Up or Down', async () => {
      const event = { ...upDown('btc-updown-15m-1775750400'), endDate: '2026-04-09T16:15:00Z' };
      const fact = await firstEvent({ ...event, eventMetadata: { priceToBeat: 61035.86 } });
      assert.deepEqual(fact.subject, {
        type: 'crypto',
        symbol: 'BTC',
        kind: 'UP_DOWN',
        referencePrice: 61035.86,
      });
      assert.deepEqual(
        fact.buckets.map(({ title, yesToken: yes, lo }) => [title, yes, lo]),
        [
          ['Up', yesToken(0), null],
          ['Down', `${yesToken(0).slice(0, -1)}1`, null],
        ],
      );
      assert.equal(fact.startAt, 1_775_750_400_000);
    });

    for (const [slug, kind, startAt] of [
      ['bitcoin-up-or-down-april-9-2026-11am-et', 'UP_DOWN', '2026-04-09T15:00:00Z'],
      ['bitcoin-up-or-down-on-april-9', 'UP_DOWN', '2026-04-08T16:00:00Z'],
    ] as const) {
      it(`knows when ${slug} starts`, async () => {
        const fact = await firstEvent(upDown(slug));
        assert.equal(fact.subject.type === 'crypto' && fact.subject.kind, kind);
        assert.equal(fact.startAt, Date.parse(startAt));
      });
    }

    for (const [slug, kind, titles] of [
      ['bitcoin-above-on-april-9', 'LADDER', ['100,000', '90,000']],
      ['bitcoin-price-on-april-9', 'RANGE', ['62,000-64,000', '<62,000']],
      ['what-price-will-bitcoin-hit-in-april-2026', 'TOUCH', ['↑ 150,000', '↓ 60,000']],
    ] as const) {
      it(`sorts the outcomes of ${slug}`, async () => {
        const markets = titles.map((title, index) => wireMarket(title, index));
        const fact = await firstEvent(wireEvent(9, { slug, series: [], markets }));
        assert.equal(fact.subject.type === 'crypto' && fact.subject.kind, kind);
        assert.deepEqual(
          fact.buckets.map(({ title }) => title),
          [...titles].reverse(),
        );
        assert.equal(fact.startAt, Date.parse('2026-03-31T16:02:11.120Z'));
      });
    }

    it('is looked for under the slugs of now and next, and a guess that misses is no trouble', async () => {
      bySlug['btc-updown-15m-1775743200'] = upDown('btc-updown-15m-1775743200');
      const { facts, error } = start();
      await eventually('it is found', () => eventFacts(facts()).length === 1);
      assert.equal(error(), undefined);
    });

    it('is looked for 1,080 times a day, not 65,760 times, when no guess of four symbols exists', async () => {
      const endpoints = localEndpoints({ url: 'http://market.invalid', socketUrl: 'ws://market.invalid' });
      const { symbols } = liveEndpoints({ postsToken: '' }).crypto;
      const rare = 2 * 86_400_000;
      // Not on the hour, where some windows would be asked for once only.
      now = NOW + 30_000;
      const settings = { ...SOURCE_SETTINGS, eventsPeriodMs: rare, closedEventsPeriodMs: rare };
      const asked = new Map<string, number>();
      const real = globalThis.fetch;
      globalThis.fetch = async (input) => {
        const { pathname } = new URL(String(input));
        if (pathname === '/events/keyset') return Response.json({ events: [] });
        asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
        return new Response(null, { status: 404 });
      };
      const intervals = takeIntervals();
      const source = eventsSource({ ...endpoints, crypto: { ...endpoints.crypto, symbols } }, settings);
      const { stop, error } = stage.run(source, fakeLookups(), () => now);
      let polls = 0;
      const sum = () => [...asked.values()].reduce((total, times) => total + times, 0);
      try {
        for (const endAt = now + 86_400_000; now < endAt; now += settings.cryptoEventsPeriodMs) {
          intervals.advance(polls++ === 0 ? 0 : settings.cryptoEventsPeriodMs);
          // Nothing waits for a real timer, so a poll is over when it asks for no more.
          for (let before = -1; before < sum(); await immediate()) before = sum();
        }
      } finally {
        stop();
        intervals.restore();
        globalThis.fetch = real;
      }
      assert.equal(error(), undefined);
      assert.deepEqual([polls * symbols.length * 12, sum()], [65_760, 1_080]);
      assert.ok([...asked.values()].every((times) => times <= 2));
    });
  });
});
