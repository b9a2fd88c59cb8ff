import assert from 'node:assert/strict';
import { cryptoSlugs } from '../../../src/sources/crypto/crypto-slugs.ts';
import { eventsSource } from '../../../src/sources/market/events.ts';
import type { EventFact, Fact, PricesFact } from '../../../streams/internal.ts';
import { FAST, localEndpoints } from '../../support/endpoints.ts';
import { activeEvent } from '../../support/event-record.ts';
import { eventually } from '../../support/eventually.ts';
import { wireEvent, wireMarket, yesToken } from '../../support/payloads.ts';
import { fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';

const NOW = Date.parse('2026-04-09T14:00:00Z');

describe('eventsSource', () => {
  let run: SourceRun | undefined;
  let open: unknown[] = [];
  let closed: unknown[] = [];
  let bySlug: Record<string, unknown> = {};
  const stage = sourceStage((server) => {
    [open, closed, bySlug] = [[], [], {}];
    server.answer(({ path, query }, response) => {
      if (path === '/events/keyset') return { events: query.get('closed') === 'true' ? closed : open };
      const event = bySlug[path.replace('/events/slug/', '')];
      if (event !== undefined) return event;
      response.statusCode = 404;
      return { type: 'not found error', error: 'slug not found' };
    });
  });

  function start(lookups = fakeLookups(), settings = FAST): SourceRun {
    run = stage.run(eventsSource(localEndpoints(stage.server), settings), lookups, () => NOW);
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

  it('delivers the prices of an upcoming event as they change, and leaves an active one to its books', async () => {
    const marketsAt = (bestBid: number) => ({
      markets: [wireMarket('<40', 0, { bestBid }), wireMarket('40+', 1)],
    });
    open = [wireEvent(1, marketsAt(0.1))];
    const { facts, lookups, deliveries } = start();
    await eventually('first prices', () => priceFacts(facts()).length === 1);
    open = [wireEvent(1, marketsAt(0.2))];
    await eventually('second prices', () => priceFacts(facts()).length === 2);
    const record = lookups.records.get(1);
    assert.ok(record);
    lookups.records.set(1, { ...record, phase: 'active' });
    open = [wireEvent(1, marketsAt(0.3))];
    const count = deliveries.length;
    await eventually('further polls', () => deliveries.length > count + 3);
    assert.equal(priceFacts(facts()).length, 2);
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
    const asked = () => stage.server.requests.filter(({ query }) => query.get('closed') === 'true');
    await eventually('it is read again', () => asked().length > 1);
    assert.deepEqual(
      asked()
        .slice(0, 2)
        .map(({ query }) => (NOW - Date.parse(query.get('end_date_min') ?? '')) / 86_400_000),
      [100, 3],
    );
  });

  it('asks by slug for an active event that no list shows', async () => {
    const lookups = fakeLookups();
    lookups.records.set(5, activeEvent(5));
    bySlug['account-a-of-posts-5'] = wireEvent(5, { slug: 'account-a-of-posts-5', closed: true });
    const { facts } = start(lookups);
    await eventually('its end is delivered', () => eventFacts(facts()).some(({ isClosed }) => isClosed));
  });

  it('counts an event with a label it does not understand once, and goes on with the others', async () => {
    open = [
      wireEvent(1, { markets: [wireMarket('Other', 0)] }),
      wireEvent(2, { slug: 'account-a-of-posts-2' }),
    ];
    const { facts, refusals, deliveries } = start();
    await eventually('several polls pass', () => deliveries.length > 5);
    assert.deepEqual(
      eventFacts(facts()).map(({ eventId }) => eventId),
      [2],
    );
    assert.equal(refusals.length, 1);
    assert.match(refusals[0] ?? '', /event 1 has a bucket labelled "Other"/);
  });

  for (const [name, event] of [
    ['a price above 1', wireEvent(1, { markets: [wireMarket('<40', 0, { bestBid: 1.7 })] })],
    [
      'a price that is NaN',
      wireEvent(1, { markets: [wireMarket('<40', 0, { outcomePrices: '["NaN","0"]' })] }),
    ],
    ['tokens that are numbers', wireEvent(1, { markets: [wireMarket('<40', 0, { clobTokenIds: '[7,8]' })] })],
    ['a list in half', wireEvent(1, { markets: [wireMarket('<40', 0, { outcomes: '["Yes"' })] })],
    ['an id that is a fraction', wireEvent(1.5)],
  ] as const) {
    it(`refuses the whole page for ${name}`, async () => {
      open = [wireEvent(2), event];
      const { facts, error, refusals } = start();
      await eventually('it fails', () => error() !== undefined);
      assert.deepEqual(facts(), []);
      assert.equal(refusals.length, 1);
    });
  }

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
      const event = upDown('btc-updown-15m-1775750400');
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
  });
});

describe('cryptoSlugs', () => {
  const names = { symbol: 'BTC', pair: 'BTCUSDT', slugNames: ['bitcoin', 'btc'] };

  it('names the windows open now and next, in the time of the rules', () => {
    assert.deepEqual(cryptoSlugs(names, Date.parse('2026-07-18T03:20:00Z')), [
      'btc-updown-15m-1784344500',
      'btc-updown-4h-1784332800',
      'bitcoin-up-or-down-july-17-2026-11pm-et',
      'bitcoin-up-or-down-on-july-17',
      'bitcoin-above-on-july-17',
      'bitcoin-price-on-july-17',
      'btc-updown-15m-1784345400',
      'btc-updown-4h-1784347200',
      'bitcoin-up-or-down-july-18-2026-12am-et',
      'bitcoin-up-or-down-on-july-18',
      'bitcoin-above-on-july-18',
      'bitcoin-price-on-july-18',
    ]);
  });
});
