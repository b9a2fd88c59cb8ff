import * as z from 'zod';
import type { AccountConfig } from '../config/accounts.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../errors.ts';
import type { Endpoints, EndpointsWithApi } from '../sources/endpoints.ts';
import { getJson } from '../sources/http.ts';
import { liveEndpoints } from '../sources/live.ts';
import type { Notes } from '../store/store.ts';
import { addressesOf } from '../world/addresses.ts';
import { openEmbeddedWorld, WORLD_VERSION } from '../world/embedded.ts';
import { accountsOf } from '../world/life/accounts.ts';
import { accountEndpoints } from './account-endpoints.ts';

/** The world that the sources read. */
export interface Upstream {
  /** For people, such as `embedded, seed 1`. */
  readonly name: string;
  /** Whether the world is a stand-in, where demo keys do no harm. */
  readonly isStandIn: boolean;
  /** When the data folder was bound to the world, UTC ms. */
  readonly startAt: number;
  readonly endpoints: Endpoints;
  /** Only a stand-in world has one. */
  readonly facilitator?: string;
  /** A node of the stand-in's chain. */
  readonly chain?: string;
  /** A wallet of the stand-in that holds something worth looking at. */
  readonly demoWallet?: string | undefined;
  close(): Promise<void>;
}

interface DataFolder {
  readonly data: string;
  readonly notes: Notes;
  readonly now: () => number;
}

/** A world that answers, but is not bound to a data folder yet. */
interface ReachableUpstream {
  /** The endpoints of a world whose hosts have limits and prices; null of a stand-in, whose hosts have neither. */
  readonly billed: Endpoints | null;
  /**
   * Binds a data folder to the world for good. With two worlds in one log, their posts would be counted together and
   * those of the first would seem deleted.
   */
  open(folder: DataFolder): Promise<Upstream>;
}

type UpstreamConfig = Pick<Config, 'world' | 'accounts' | 'posts'>;

/** Checks that the configured world answers, and changes nothing. The posts API is left out unless posts come from it. */
export async function reachUpstream(config: UpstreamConfig): Promise<ReachableUpstream> {
  const reachable = await reach(config);
  if (config.posts.via === 'timeline') return reachable;
  const { billed } = reachable;
  return {
    billed: billed && { ...billed, postsApi: null },
    async open(folder) {
      const upstream = await reachable.open(folder);
      return { ...upstream, endpoints: { ...upstream.endpoints, postsApi: null } };
    },
  };
}

/** Where the market shows its events to people; undefined where only a process that reaches the world knows it. */
export function marketPagesOf(world: UpstreamConfig['world']): string | undefined {
  return world.type === 'live' ? liveEndpoints(world).market.pages : undefined;
}

/**
 * The world and its accounts as far as they are known before anybody asks it: the embedded one has no address yet, and of one
 * that another process runs only that process knows the accounts.
 */
export function foreseenEndpoints({ world, posts }: Pick<Config, 'world' | 'posts'>): Endpoints {
  const endpoints = foresee(world);
  return posts.via === 'timeline' ? endpoints : { ...endpoints, postsApi: null };
}

function foresee(world: UpstreamConfig['world']): Endpoints {
  switch (world.type) {
    case 'embedded':
      return endpointsOf(addressesOf('http://127.0.0.1', accountsOf(world.seed, world.accounts)));
    case 'remote':
      return endpointsOf(addressesOf(world.url, []));
    case 'live':
      return liveEndpoints(world);
  }
}

async function reach({ world, accounts }: UpstreamConfig): Promise<ReachableUpstream> {
  switch (world.type) {
    case 'embedded': {
      const { seed, accounts: made, speed } = world;
      // It makes them up from the seed alone, so what it lacks is known before it runs.
      accountEndpoints(accounts, foresee(world).accounts);
      // The time of a log goes on as it began, so a folder belongs to a speed too.
      const name = `embedded, seed ${seed}${speed === 1 ? '' : `, ${speed} times as fast`}`;
      return bindingTo(`${name}, version ${WORLD_VERSION}`, async (startAt) => {
        const { addresses, close } = await openEmbeddedWorld({ seed, accounts: made, speed, startAt });
        try {
          return standIn(name, startAt, endpointsOf(addresses, accounts), addresses, close);
        } catch (error) {
          await close();
          throw error;
        }
      });
    }
    case 'remote': {
      const addresses = await fetchAddresses(world.url);
      const endpoints = endpointsOf(addresses, accounts);
      return bindingTo('remote', (startAt) => standIn(world.url, startAt, endpoints, addresses));
    }
    case 'live': {
      const known = liveEndpoints(world);
      const endpoints = { ...known, accounts: accountEndpoints(accounts, known.accounts) };
      const live = { name: 'live', isStandIn: false, endpoints, close: async () => {} };
      return bindingTo('live', (startAt) => ({ ...live, startAt }), endpoints);
    }
  }
}

/** `open` is called with the time of the folder's first start. */
function bindingTo(
  world: string,
  open: (startAt: number) => Upstream | Promise<Upstream>,
  billed: Endpoints | null = null,
): ReachableUpstream {
  return { billed, open: async (folder) => open(await bindFolder(world, folder)) };
}

/** Its name among the wallets of a stand-in: it holds both sides of a bucket, so that something can be merged. */
const DEMO_WALLET = 'noOfA';

function standIn(
  name: string,
  startAt: number,
  endpoints: Endpoints,
  { facilitator, chain, wallets }: Addresses,
  close = async () => {},
): Upstream {
  const demoWallet = wallets?.[DEMO_WALLET];
  return { name, isStandIn: true, startAt, endpoints, facilitator, chain, demoWallet, close };
}

const BoundWorld = z.object({ world: z.string(), startAt: z.int() });

/** Notes the world at the first start and resolves to its time. Rejects when the folder belongs to another world. */
async function bindFolder(world: string, { data, notes, now }: DataFolder): Promise<number> {
  const noted = notes.get('world');
  if (noted === undefined) {
    const startAt = now();
    await notes.set('world', JSON.stringify({ world, startAt }));
    return startAt;
  }
  const bound = BoundWorld.parse(JSON.parse(noted));
  if (bound.world !== world) {
    throw new StartError(
      'START_OTHER_WORLD',
      `the data folder ${data} belongs to the world ${bound.world}, not to ${world}; choose another with --data`,
    );
  }
  return bound.startAt;
}

const Addresses = z.object({
  posts: z.url(),
  postsToken: z.string(),
  oracle: z.url(),
  market: z.url(),
  book: z.url(),
  bookSocket: z.url(),
  positions: z.url(),
  cryptoSocket: z.url(),
  cryptoRest: z.url(),
  facilitator: z.url(),
  chain: z.url(),
  accounts: z
    .array(
      z.object({
        id: z.string(),
        handle: z.string(),
        userId: z.string(),
        slugPrefix: z.string(),
        seriesSlugs: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
  cryptoSymbols: z.array(z.string()).readonly(),
  postsTag: z.object({ id: z.string() }),
  cryptoTag: z.object({ id: z.string() }),
  wallets: z.record(z.string(), z.string()).optional(),
});

type Addresses = z.infer<typeof Addresses>;

async function fetchAddresses(url: string): Promise<Addresses> {
  try {
    return Addresses.parse(await getJson(`${url}/control/addresses`));
  } catch (cause) {
    throw new StartError('START_NO_WORLD', `no world answers at ${url}`, { cause });
  }
}

/** Of every account of a stand-in world. */
const PLATFORM = 'X';

/** The endpoints of a stand-in world, for the accounts that are configured; without any for all that it has. */
export function endpointsOf(
  addresses: Addresses,
  accounts?: readonly Pick<AccountConfig, 'id' | 'provider'>[],
): EndpointsWithApi {
  const known = addresses.accounts.map(({ id, userId, handle, seriesSlugs, slugPrefix }) => ({
    id,
    userId,
    handle,
    platform: PLATFORM,
    seriesSlugs,
    slugPrefixes: [`${slugPrefix}-`],
  }));
  return {
    userAgent: 'tallywire',
    accounts: accounts === undefined ? known : accountEndpoints(accounts, known),
    postsApi: {
      baseUrl: addresses.posts,
      bearerToken: addresses.postsToken,
      fieldPrefix: 'tweet',
      platform: PLATFORM,
    },
    webBase: `${addresses.posts}/web`,
    oracle: { baseUrl: addresses.oracle },
    market: {
      baseUrl: addresses.market,
      pages: `${addresses.market}/events/slug`,
      tagIds: [Number(addresses.postsTag.id), Number(addresses.cryptoTag.id)],
    },
    book: { baseUrl: addresses.book },
    bookSocket: { url: addresses.bookSocket },
    positions: { baseUrl: addresses.positions },
    crypto: {
      socketUrl: addresses.cryptoSocket.replace(/\/ws$/, ''),
      restUrl: addresses.cryptoRest,
      // Symbols are pairs against the dollar; slugs use the part before it.
      symbols: addresses.cryptoSymbols.map((pair) => {
        const name = pair.replace(/usdt?$/i, '');
        return { symbol: name.toUpperCase(), pair: pair.toUpperCase(), slugNames: [name.toLowerCase()] };
      }),
    },
  };
}
