import { z } from 'zod';
import type { WorldConfig } from '../config/config.ts';
import { StartError } from '../errors.ts';
import type { Endpoints } from '../sources/endpoints.ts';
import { getJson } from '../sources/http.ts';
import { liveEndpoints } from '../sources/live.ts';
import type { Notes } from '../store/store.ts';
import { openEmbeddedWorld } from '../world/embedded.ts';
import type { WorldAddresses } from '../world/world.ts';

/** What the sources are pointed at. */
export interface Upstream {
  /** For people: `embedded, seed 1`. */
  readonly name: string;
  /** Made up, so that demo keys do no harm. */
  readonly isDemo: boolean;
  readonly endpoints: Endpoints;
  /** Of a made-up world. */
  readonly facilitator?: string;
  close(): Promise<void>;
}

/** The folder the world's facts will go to. */
export interface Place {
  readonly data: string;
  readonly notes: Notes;
  readonly now: () => number;
}

/** A world that is there, but that no folder belongs to yet. */
export interface FoundUpstream {
  /**
   * A data folder belongs to one world for good: posts of two worlds in one log would be counted together,
   * and those of the first all be taken for deleted.
   */
  open(place: Place): Promise<Upstream>;
}

/** Finds the world a configuration names, and touches nothing. */
export async function findUpstream(world: WorldConfig): Promise<FoundUpstream> {
  switch (world.type) {
    case 'embedded': {
      const name = `embedded, seed ${world.seed}`;
      return {
        async open(place) {
          const startAt = await belongTo(name, place);
          const { addresses, close } = await openEmbeddedWorld({ seed: world.seed, startAt });
          const { facilitator } = addresses;
          return { name, isDemo: true, endpoints: endpointsOf(addresses), facilitator, close };
        },
      };
    }
    case 'remote': {
      const addresses = await askAddresses(world.url);
      const endpoints = endpointsOf(addresses);
      const { facilitator } = addresses;
      return {
        async open(place) {
          await belongTo('remote', place);
          return { name: world.url, isDemo: true, endpoints, facilitator, close: async () => {} };
        },
      };
    }
    case 'live': {
      const endpoints = liveEndpoints({ postsBearerToken: world.postsToken });
      return {
        async open(place) {
          await belongTo('live', place);
          return { name: 'live', isDemo: false, endpoints, close: async () => {} };
        },
      };
    }
  }
}

const Belonging = z.object({ world: z.string(), startAt: z.int() });

/** Notes the world at the first start, and resolves to the instant of that start; refuses any other world. */
async function belongTo(world: string, { data, notes, now }: Place): Promise<number> {
  const noted = notes.get('world');
  if (noted === undefined) {
    const startAt = now();
    await notes.set('world', JSON.stringify({ world, startAt }));
    return startAt;
  }
  const belonging = Belonging.parse(JSON.parse(noted));
  if (belonging.world !== world) {
    throw new StartError(
      'START_OTHER_WORLD',
      `the data folder ${data} belongs to the world ${belonging.world}, not to ${world}; choose another with --data`,
    );
  }
  return belonging.startAt;
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
  accounts: z.array(
    z.object({
      id: z.string(),
      handle: z.string(),
      userId: z.string(),
      slugPrefix: z.string(),
      seriesSlugs: z.array(z.string()),
    }),
  ),
  cryptoSymbols: z.array(z.string()),
  postsTag: z.object({ id: z.string() }),
  cryptoTag: z.object({ id: z.string() }),
});

async function askAddresses(url: string): Promise<z.infer<typeof Addresses>> {
  try {
    return Addresses.parse(await getJson(`${url}/control/addresses`));
  } catch (cause) {
    throw new StartError('START_NO_WORLD', `no world answers at ${url}`, { cause });
  }
}

type SourceLookups = z.infer<typeof Addresses> | WorldAddresses;

/** A stand-in world as the sources are told of it. */
export function endpointsOf(addresses: SourceLookups): Endpoints {
  return {
    userAgent: 'tallywire',
    accounts: addresses.accounts.map(({ id, userId, handle, seriesSlugs, slugPrefix }) => ({
      id,
      userId,
      handle,
      platform: 'X',
      seriesSlugs,
      slugPrefixes: [`${slugPrefix}-`],
    })),
    posts: {
      baseUrl: addresses.posts,
      bearerToken: addresses.postsToken,
      fieldPrefix: 'tweet',
      webBase: `${addresses.posts}/web`,
    },
    oracle: { baseUrl: addresses.oracle },
    market: {
      baseUrl: addresses.market,
      tagIds: [Number(addresses.postsTag.id), Number(addresses.cryptoTag.id)],
    },
    book: { baseUrl: addresses.book },
    bookSocket: { url: addresses.bookSocket },
    positions: { baseUrl: addresses.positions },
    crypto: {
      socketUrl: addresses.cryptoSocket.replace(/\/ws$/, ''),
      restUrl: addresses.cryptoRest,
      // Symbols are pairs against the dollar, and slugs call them by what stands before it.
      symbols: addresses.cryptoSymbols.map((pair) => {
        const name = pair.replace(/usdt?$/i, '');
        return { symbol: name.toUpperCase(), pair: pair.toUpperCase(), slugNames: [name.toLowerCase()] };
      }),
    },
  };
}
