import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SourceError } from '../../src/errors.ts';
import { tickerFrame } from '../../src/sources/crypto/crypto-payload.ts';
import type { EndpointsWithApi } from '../../src/sources/endpoints.ts';
import { bookEvents } from '../../src/sources/market/book-payload.ts';
import { eventsSource } from '../../src/sources/market/events.ts';
import { createFollowedBooks } from '../../src/sources/market/followed-books.ts';
import { uiSource } from '../../src/sources/market/ui-count.ts';
import { oracleSource } from '../../src/sources/oracle/oracle.ts';
import { createPositions } from '../../src/sources/positions/positions.ts';
import { deletionsSource } from '../../src/sources/posts/deletions.ts';
import { listedSource } from '../../src/sources/posts/listed.ts';
import { postsSource } from '../../src/sources/posts/posts.ts';
import { decodePayload, isRefusal } from '../../src/sources/read-payload.ts';
import { frameJson } from '../../src/sources/socket.ts';
import type { Source } from '../../src/sources/source.ts';
import { ACCOUNT, FAST, localEndpoints } from '../support/endpoints.ts';
import { activeEvent } from '../support/event-record.ts';
import { faultOf } from '../support/fact-check.ts';
import { anyMutation } from '../support/mutate.ts';
import {
  timelineAnswer,
  trackingAnswer,
  wireBookOf,
  wireEvent,
  wireListed,
  wirePosition,
  wirePost,
  wireSync,
  wireTracking,
  yesToken,
} from '../support/payloads.ts';
import { collect, type FakeLookups, fakeLookups, knownPost } from '../support/source-run.ts';

/** The nightly figure is 10,000; the default keeps the suite quick. */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 250);
const NOW = Date.parse('2026-04-09T14:00:00Z');
const DAY_MS = 86_400_000;
const WALLET = `0x${'ab'.repeat(20)}`;
// One period that never comes round: each run reads every job once.
const SETTINGS = {
  ...FAST,
  postsPeriodMs: DAY_MS,
  listPeriodMs: DAY_MS,
  oraclePeriodMs: DAY_MS,
  uiPeriodMs: DAY_MS,
  eventsPeriodMs: DAY_MS,
};

/** A role: its source, the payload that is struck, and the rest of its world. */
interface Role {
  readonly source: (endpoints: EndpointsWithApi) => Source;
  readonly payload: unknown;
  readonly isStruck: (url: URL) => boolean;
  readonly answer?: (url: URL) => unknown;
  readonly prepare?: (lookups: FakeLookups) => void;
}

const roles: Readonly<Record<string, Role>> = {
  posts: {
    source: (endpoints) => postsSource(ACCOUNT, endpoints, SETTINGS),
    payload: timelineAnswer(
      [
        wirePost({ at: NOW - 1_000, extra: { referenced_tweets: [{ type: 'retweeted', id: '77' }] } }),
        wirePost({ at: NOW - 2_000, extra: { in_reply_to_user_id: '4000', note_tweet: { text: 'long' } } }),
      ],
      { includes: { tweets: [{ id: '77', text: 'whole', author_id: '9', community_id: '1' }] } },
    ),
    isStruck: (url) => !url.searchParams.has('pagination_token'),
    answer: () => timelineAnswer([]),
  },
  deletions: {
    source: (endpoints) => deletionsSource(ACCOUNT, endpoints, SETTINGS),
    payload: {
      data: [{ id: '1' }],
      errors: [{ resource_id: '2', value: '2', type: 'https://x.invalid/problems/resource-not-found' }],
    },
    isStruck: () => true,
    prepare: (lookups) => {
      for (const id of ['1', '2']) lookups.posts.set(id, knownPost(id, NOW - 1));
    },
  },
  'oracle list': {
    source: (endpoints) => listedSource(ACCOUNT, endpoints, { ...SETTINGS, historyDays: 7 }),
    payload: {
      success: true,
      data: [
        wireListed({ at: NOW - 60_000, text: 'RT @x: words' }),
        wireListed({ at: NOW - 90_000 }, { importedAt: null }),
      ],
    },
    isStruck: (url) => url.pathname.endsWith('/posts'),
    answer: () => wireSync(NOW - 20_000),
  },
  'oracle sync': {
    source: (endpoints) => listedSource(ACCOUNT, endpoints, { ...SETTINGS, historyDays: 7 }),
    payload: wireSync(NOW - 20_000),
    isStruck: (url) => !url.pathname.endsWith('/posts'),
    answer: () => ({ success: true, data: [wireListed({ at: NOW - 60_000 })] }),
  },
  'oracle windows': {
    source: (endpoints) => oracleSource(ACCOUNT, endpoints, SETTINGS),
    payload: {
      success: true,
      data: [
        wireTracking('one', NOW - DAY_MS, NOW + DAY_MS),
        wireTracking('two', NOW - 9 * DAY_MS, NOW - 8 * DAY_MS),
      ],
    },
    isStruck: (url) => url.pathname.endsWith('/trackings'),
    answer: () => trackingAnswer('one', 5),
  },
  'oracle totals': {
    source: (endpoints) => oracleSource(ACCOUNT, endpoints, SETTINGS),
    payload: trackingAnswer('one', 212),
    isStruck: (url) => url.pathname.endsWith('/one'),
    answer: () => ({ success: true, data: [wireTracking('one', NOW - DAY_MS, NOW + DAY_MS)] }),
  },
  events: {
    source: (endpoints) =>
      eventsSource({ ...endpoints, crypto: { ...endpoints.crypto, symbols: [] } }, SETTINGS),
    payload: { events: [wireEvent(1), wireEvent(2, { slug: 'somebody-else', series: [] })], next_cursor: '' },
    isStruck: (url) => url.searchParams.get('closed') === 'false' && !url.searchParams.has('after_cursor'),
    answer: () => ({ events: [] }),
  },
  ui: {
    source: (endpoints) => uiSource(ACCOUNT, endpoints, SETTINGS),
    payload: { id: '1', slug: 'account-a-of-posts-1', tweetCount: 212, series: [], closed: false },
    isStruck: () => true,
    prepare: (lookups) => lookups.records.set(1, activeEvent(1)),
  },
};

/** An odd element of these is refused by itself. */
const BY_ELEMENT = ['posts', 'oracle list', 'oracle sync', 'oracle windows', 'events'];

/** Answers requests in this process, by host: a socket for each of so many payloads would take minutes. */
function answerByHost(bytesOf: ReadonlyMap<string, (url: URL) => Uint8Array>): () => void {
  const real = globalThis.fetch;
  globalThis.fetch = async (input) => {
    const url = new URL(String(input));
    return new Response(bytesOf.get(url.hostname)?.(url));
  };
  return () => {
    globalThis.fetch = real;
  };
}

/** One start of the source with the struck payload, until it fails or has read everything once. */
async function survive(
  role: Role,
  bytes: Uint8Array,
  host: string,
  hosts: Map<string, (url: URL) => Uint8Array>,
) {
  const lookups = fakeLookups(0);
  role.prepare?.(lookups);
  const { context, deliveries, refusals } = collect(lookups, () => NOW);
  // What was delivered before the struck payload came is not its doing.
  let before = 0;
  let isServed = false;
  let settle: (error: unknown) => void = () => {};
  const settled = new Promise<unknown>((resolve) => {
    settle = resolve;
  });
  hosts.set(host, (url) => {
    if (!role.isStruck(url)) return Buffer.from(JSON.stringify(role.answer?.(url)));
    before = deliveries.flat().length;
    isServed = true;
    return bytes;
  });
  const deliver = async (facts: Parameters<typeof context.deliver>[0]) => {
    await context.deliver(facts);
    if (isServed) settle(undefined);
  };
  const source = role.source(localEndpoints({ url: `http://${host}`, socketUrl: `ws://${host}` }));
  const subscription = source.run({ ...context, deliver }).subscribe({ error: settle });
  const error = await settled;
  subscription.unsubscribe();
  hosts.delete(host);
  return { facts: deliveries.flat().slice(before), refusals, error };
}

describe('hostile payloads', function () {
  this.timeout(120_000);

  for (const [name, role] of Object.entries(roles)) {
    it(`of ${name}: ${RUNS} of them bring no false fact and no throw, and one that is refused whole brings nothing`, async () => {
      const hosts = new Map<string, (url: URL) => Uint8Array>();
      const restore = answerByHost(hosts);
      const mutations = fc.sample(anyMutation(role.payload), { numRuns: RUNS, seed: 7 });
      let refused = 0;
      try {
        for (let start = 0; start < mutations.length; start += 250) {
          const batch = mutations.slice(start, start + 250);
          const ends = await Promise.all(
            batch.map((bytes, index) => survive(role, bytes, `h${index}.invalid`, hosts)),
          );
          for (const [index, { facts, refusals, error }] of ends.entries()) {
            const shown = batch[index]?.toString().slice(0, 2_000);
            assert.ok(error === undefined || error instanceof SourceError, `${error} for ${shown}`);
            assert.equal(
              facts.map(faultOf).find((fault) => fault !== null),
              undefined,
              shown,
            );
            if (isRefusal(error)) assert.deepEqual([facts, refusals.length > 0], [[], true], shown);
            // A list that is sound can still hold an element that is not, and a page a count that cannot be read.
            else if (name === 'ui' && refusals.length > 0) {
              assert.deepEqual(facts, [{ kind: 'ui', eventId: 1, count: null }], shown);
            } else assert.ok(refusals.length === 0 || BY_ELEMENT.includes(name), shown);
            for (const fact of facts) {
              if (fact.kind === 'post') assert.ok(fact.createdAt <= NOW + 300_000, shown);
            }
            refused += refusals.length;
          }
        }
      } finally {
        restore();
      }
      // The blows must hurt, or nothing was tried; and some must miss, or nothing gets through.
      assert.ok(refused > RUNS / 20 && refused < RUNS, `${refused} refused`);
    });
  }

  it(`of positions: ${RUNS} of them bring no false position and no other error`, async () => {
    const hosts = new Map<string, (url: URL) => Uint8Array>();
    const restore = answerByHost(hosts);
    try {
      const positions = createPositions(
        localEndpoints({ url: 'http://p.invalid', socketUrl: 'ws://p.invalid' }),
      );
      const payload = [wirePosition(WALLET, 1), wirePosition(WALLET, 2)];
      for (const bytes of fc.sample(anyMutation(payload), { numRuns: RUNS, seed: 7 })) {
        hosts.set('p.invalid', () => bytes);
        const held = await positions.of(WALLET).catch((error: unknown) => {
          assert.ok(error instanceof SourceError, `${error}`);
          return [];
        });
        for (const { size, avgPrice, currentPrice, costBasis, currentValue, token } of held) {
          assert.ok([size, costBasis, currentValue].every((value) => Number.isFinite(value) && value >= 0));
          assert.ok([avgPrice, currentPrice].every((price) => price >= 0 && price <= 1));
          assert.match(token, /^\d+$/);
        }
      }
    } finally {
      restore();
    }
  });

  it(`of the books' socket: ${RUNS} of them bring no false quote`, () => {
    const token = yesToken(0);
    const payload = [
      { event_type: 'book', ...wireBookOf(token, '0.4', '0.6', { last_trade_price: '0.5' }) },
      {
        event_type: 'price_change',
        timestamp: '1757908892999',
        price_changes: [
          { asset_id: token, price: '0.5', size: '9', side: 'BUY', best_bid: '0.5', best_ask: '' },
        ],
      },
      { event_type: 'last_trade_price', asset_id: token, price: '0.45', timestamp: '1' },
      { event_type: 'best_bid_ask', asset_id: token, best_bid: '0.41', best_ask: '0.6', timestamp: '1' },
    ];
    const board = createFollowedBooks({
      now: () => NOW,
      mono: () => 0,
      refused: () => {},
      lookups: fakeLookups(),
    });
    board.follow(new Map([[token, 1]]));
    for (const bytes of fc.sample(anyMutation(payload), { numRuns: RUNS, seed: 7 })) {
      const json = frameJson(bytes.toString());
      const { events } = json && 'value' in json ? bookEvents(json.value) : { events: [] };
      for (const event of events) board.apply(event);
      assert.equal(
        board
          .take(0)
          .map(faultOf)
          .find((fault) => fault !== null),
        undefined,
        bytes.toString(),
      );
    }
  });

  it(`of the tickers: ${RUNS} of them bring no false price`, () => {
    const payload = { stream: 's', data: { e: '24hrMiniTicker', E: NOW, s: 'BTCUSDT', c: '61035.86' } };
    for (const bytes of fc.sample(anyMutation(payload), { numRuns: RUNS, seed: 7 })) {
      const json = frameJson(bytes.toString());
      const frame = json && 'value' in json ? decodePayload(tickerFrame, json.value) : { reason: 'not JSON' };
      if (!('value' in frame) || frame.value.stream === undefined) continue;
      const { c: price, E: at } = frame.value.data;
      const fault = faultOf({ kind: 'spot', ticks: [{ symbol: 'BTC', price, at }] });
      assert.equal(fault, null, bytes.toString());
    }
  });
});
