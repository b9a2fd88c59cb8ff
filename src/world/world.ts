import { once } from 'node:events';
import type { Server } from 'node:http';
import { uptime } from 'node:os';
import { createHeldTime } from '../resilience/held-time.ts';
import { addressesOf, type WorldAddresses } from './addresses.ts';
import { createControl, type WorldControl } from './control/control.ts';
import { createControlRest } from './control/control-rest.ts';
import { createFaults } from './control/faults.ts';
import { createOverrides } from './control/overrides.ts';
import { accountsOf } from './life/accounts.ts';
import { createTimeline } from './life/timeline.ts';
import { createListedEvents } from './market/listed-events.ts';
import { createOracleCount } from './market/oracle-count.ts';
import { createOracleSync } from './market/oracle-sync.ts';
import { createQuotes } from './market/quotes.ts';
import { createSettlement } from './market/settlement.ts';
import { createTraderBeliefs } from './market/trader-beliefs.ts';
import { createWallets, WORLD_WALLETS } from './market/wallets.ts';
import { USUAL_SIZE, type WorldSize } from './size.ts';
import { createBookRest } from './wire/book-rest.ts';
import { createBookSocket } from './wire/book-socket.ts';
import { createChain } from './wire/chain.ts';
import { createCryptoRest } from './wire/crypto-rest.ts';
import { createCryptoSocket } from './wire/crypto-socket.ts';
import { createEventJson } from './wire/event-json.ts';
import { createFacilitator } from './wire/facilitator.ts';
import { createWorldServer } from './wire/http.ts';
import { createMarketRest } from './wire/market-rest.ts';
import { createOracleRest } from './wire/oracle-rest.ts';
import { createPositionsRest } from './wire/positions-rest.ts';
import { createPostsRest } from './wire/posts-rest.ts';

export type { WorldAddresses, WorldControl };
export { WORLD_WALLETS };

export interface WorldOptions {
  readonly seed: number;
  /** That of the demo unless given. */
  readonly size?: WorldSize;
  /** How many accounts there are, up to 1,000; by default two. */
  readonly accounts?: number;
  /** When the busy first minutes begin, UTC ms; by default now. */
  readonly startAt?: number;
  /** The world's clock, UTC ms. Without one it starts at `startAt` and runs in real time. */
  readonly now?: () => number;
  /** The time that those who pay sign by, UTC ms; that of the world unless given. */
  readonly callersNow?: () => number;
  /** How many times faster than real time `now` runs. */
  readonly speed?: number;
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port?: number;
  /** Has its server listen, and resolves to its URL. */
  readonly listen?: typeof listen;
}

export interface World {
  readonly url: string;
  readonly control: WorldControl;
  readonly addresses: WorldAddresses;
  /** The transactions on its chain that moved money, by `payer|nonce` in lower case. */
  readonly transfers: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

const DEFAULT_ACCOUNTS = 2;
/** From this speed on most quotes have changed at each look, so that fewer looks lose little. */
const FAST = 10;
const FAST_BOOK_PERIOD_MS = 1_000;

/** A clock that shows `startAt` now and never steps. */
function clockFrom(startAt: number): () => number {
  const openedAt = performance.now();
  return () => startAt + Math.floor(performance.now() - openedAt);
}

/** The calendar of the machine, unless somebody sets it for a moment: a world outside would not follow either. */
export function heldCalendar(): () => number {
  return createHeldTime({ wall: Date.now, sinceBoot: () => uptime() * 1_000 }).now;
}

/**
 * Opens a stand-in for the outside world on one port. What it shows is a function of seed, start and clock,
 * plus what was changed by hand: opened again with the same seed and start it goes on at the present time.
 */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { seed, size = USUAL_SIZE, host = '127.0.0.1', port = 0 } = options;
  const startAt = options.startAt ?? options.now?.() ?? Date.now();
  const now = options.now ?? (options.startAt === undefined ? heldCalendar() : clockFrom(startAt));
  const overrides = createOverrides();
  const faults = createFaults();
  const accounts = accountsOf(seed, options.accounts ?? DEFAULT_ACCOUNTS);
  const base = { seed, startAt, now, accounts, overrides, size };
  const timeline = createTimeline(base);
  const sync = createOracleSync(base);
  const listedEvents = createListedEvents(base);
  const oracleCount = createOracleCount({ ...base, timeline, sync });
  const traders = createTraderBeliefs({ ...base, timeline });
  const quotes = createQuotes({ ...base, traders });
  const settlement = createSettlement({ ...base, oracleCount });
  const parts = { ...base, timeline, sync, listedEvents, oracleCount, traders, quotes, settlement };

  const bookPeriodMs = (options.speed ?? 1) > FAST ? FAST_BOOK_PERIOD_MS : size.bookPeriodMs;
  const sockets = {
    book: createBookSocket({ ...parts, periodMs: bookPeriodMs }),
    crypto: createCryptoSocket({ ...base, periodMs: size.spotPeriodMs }),
  };
  const callersNow = options.callersNow ?? now;
  const chain = createChain(callersNow);
  const facilitator = createFacilitator(callersNow, chain);
  const control = createControl({ ...parts, faults, sockets, facilitator });
  let url = '';
  const { server, close: closeServer } = createWorldServer({
    roles: [
      { prefix: '/posts-api', name: 'posts', handle: createPostsRest(parts) },
      { prefix: '/oracle/api', name: 'oracle', handle: createOracleRest(parts) },
      {
        prefix: '/market',
        name: 'market',
        handle: createMarketRest({ ...parts, wire: createEventJson(parts) }),
      },
      { prefix: '/book', name: 'book', handle: createBookRest(parts) },
      {
        prefix: '/positions-api',
        name: 'positions',
        handle: createPositionsRest({ ...parts, wallets: createWallets(parts) }),
      },
      { prefix: '/crypto', name: 'crypto', handle: createCryptoRest(base) },
      { prefix: '/facilitator', name: 'facilitator', handle: facilitator.handle },
      { prefix: '/chain', name: 'chain', handle: chain.handle },
      {
        prefix: '/control',
        name: undefined,
        handle: createControlRest(control, () => addressesOf(url, accounts)),
      },
    ],
    sockets: [
      { prefix: '/book/ws/market', name: 'bookSocket', accept: sockets.book.accept },
      { prefix: '/crypto', name: 'cryptoSocket', accept: sockets.crypto.accept },
    ],
    faults,
    now,
  });

  const close = async (): Promise<void> => {
    sockets.book.close();
    sockets.crypto.close();
    await closeServer();
  };

  try {
    url = await (options.listen ?? listen)(server, port, host);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, control, addresses: addressesOf(url, accounts), transfers: chain.transfers, close };
}

async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`;
}
