import { z } from 'zod';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import type { Endpoints } from '../sources/endpoints.ts';
import { getJson } from '../sources/http.ts';
import { liveEndpoints } from '../sources/live.ts';
import type { Notes } from '../store/store.ts';
import { openEmbeddedWorld } from '../world/embedded.ts';
import type { WorldAddresses } from '../world/world.ts';
import type { Clock } from './clock.ts';

/** What the sources are pointed at. */
export interface Outside {
  /** For people: `embedded, seed 1`. */
  readonly name: string;
  /** Made up, so that demo keys do no harm. */
  readonly isDemo: boolean;
  readonly endpoints: Endpoints;
  close(): Promise<void>;
}

/**
 * Opens the world a configuration names. A data folder belongs to one world for good: posts of two worlds
 * in one log would be counted together, and those of the first all be taken for deleted.
 */
export async function openOutside(config: Config, notes: Notes, clock: Clock): Promise<Outside> {
  const { world } = config;
  switch (world.type) {
    case 'embedded': {
      const startAt = await belongTo(config, notes, `embedded, seed ${world.seed}`, clock.wall());
      const opened = await openEmbeddedWorld({ seed: world.seed, startAt });
      return {
        name: `embedded, seed ${world.seed}`,
        isDemo: true,
        endpoints: endpointsOf(opened.addresses),
        close: opened.close,
      };
    }
    case 'remote': {
      const addresses = await askAddresses(world.url);
      await belongTo(config, notes, 'remote', clock.wall());
      return { name: world.url, isDemo: true, endpoints: endpointsOf(addresses), close: async () => {} };
    }
    case 'live':
      await belongTo(config, notes, 'live', clock.wall());
      return {
        name: 'live',
        isDemo: false,
        endpoints: liveEndpoints({ postsBearerToken: world.postsToken }),
        close: async () => {},
      };
  }
}

const Belonging = z.object({ world: z.string(), startAt: z.int() });

/** Notes the world at the first start, and resolves to the instant of that start; refuses any other world. */
async function belongTo({ data }: Config, notes: Notes, world: string, now: number): Promise<number> {
  const noted = notes.get('world');
  if (noted === undefined) {
    await notes.set('world', JSON.stringify({ world, startAt: now }));
    return now;
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

type Known = z.infer<typeof Addresses> | WorldAddresses;

function endpointsOf(addresses: Known): Endpoints {
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
