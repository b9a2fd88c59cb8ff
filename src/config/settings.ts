import { isIP } from 'node:net';
import { z } from 'zod';

/** A value as it is written in a flag, in the environment or in JSON, and what a fault says was expected. */
interface Form<T> {
  readonly schema: z.ZodType<T>;
  readonly expects: string;
}

export interface Setting<T> extends Form<T> {
  /** What stands for the value in a help text; a switch has none. */
  readonly argument?: string;
  readonly default: T;
  readonly help: string;
  /** Never echoed, and no flag: command lines are readable by every user of a machine. */
  readonly isSecret?: true;
  /** A further variable that is read when the setting's own is not given. */
  readonly alsoEnv?: string;
}

function setting<T>(form: Form<T>, rest: Omit<Setting<T>, keyof Form<T>>): Setting<T> {
  return { ...form, ...rest };
}

const digits = /^-?\d{1,16}$/;

function integer(min: number, max: number): Form<number> {
  const toNumber = (value: unknown) =>
    typeof value === 'string' && digits.test(value) ? Number(value) : value;
  return {
    schema: z.preprocess(toNumber, z.int().min(min).max(max)),
    expects: `an integer from ${min} to ${max}`,
  };
}

function oneOf<const T extends string>(values: readonly T[]): Form<T> {
  return { schema: z.enum(values), expects: `one of ${values.join(', ')}` };
}

const toggle: Form<boolean> = {
  schema: z.union([
    z.boolean(),
    z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1'),
  ]),
  expects: 'true or false',
};

const pathSegment: Form<string> = {
  schema: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    // The name of a path that every account's own paths stand beside.
    .refine((text) => text.toLowerCase() !== 'crypto'),
  expects: 'up to 64 letters, digits, _ and -, and not crypto',
};

/** A text without control characters, which would end up in file names, headers and terminals. */
function plainText(expects: string): Form<string> {
  return { schema: z.string().regex(/^\P{Cc}{1,4096}$/u), expects };
}

function toOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : undefined;
}

const world: Form<string> = {
  schema: z.string().transform((text, context) => {
    if (text === 'embedded' || text === 'live') return text;
    const origin = toOrigin(text);
    if (origin === undefined) context.addIssue('not a world');
    return origin ?? z.NEVER;
  }),
  expects: 'embedded, live or an address such as http://127.0.0.1:9000',
};

const address: Form<string> = {
  schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  expects: 'an address of 0x and 40 hexadecimal characters',
};

const chain: Form<string> = {
  schema: z.string().regex(/^eip155:[1-9]\d{0,9}$/),
  expects: 'a network such as eip155:84532',
};

const PRICE = /^(?!0+(\.0+)?$)\d{1,6}(\.\d{1,6})?$/;
const price: Form<string> = {
  schema: z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.string().regex(PRICE),
  ),
  expects: 'a price such as 0.01, with at most 6 decimals',
};

const prices: Form<string> = {
  schema: z.string().refine((text) =>
    text.split(',').every((each) => {
      const [path = '', amount = '', ...rest] = each.split('=');
      return /^[\w-]+(\/[\w-]+)*$/.test(path) && PRICE.test(amount) && rest.length === 0;
    }),
  ),
  expects: 'prices of paths such as signals=0.02,portfolio/account_a=0.05',
};

/** Money is asked for over TLS, unless the other side is this machine. */
function isFacilitator(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
}

const facilitator: Form<string> = {
  schema: z
    .string()
    .refine(isFacilitator)
    .transform((text) => text.replace(/\/+$/, '')),
  expects: 'an https address, or an http one of this machine',
};

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const seconds = integer(1, 86_400);

/** One network such as `10.0.0.0/8`; a single address is one too. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/');
  const family = isIP(address);
  const isLength = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return family !== 0 && rest.length === 0 && isLength;
}

const networks: Form<string> = {
  schema: z
    .union([z.string(), z.array(z.string()).transform((list) => list.join(','))])
    .transform((text) => text.replace(/\s/g, ''))
    .refine((text) => text.split(',').every(isNetwork)),
  expects: 'networks such as 10.0.0.0/8, separated by commas',
};

/** Everything that can be configured. Flags, variables and keys of the config file are named after the key. */
export const SETTINGS = {
  port: setting(integer(0, 65_535), {
    argument: 'number',
    default: 8080,
    help: 'TCP port to listen on; 0 takes any free one',
    alsoEnv: 'PORT',
  }),
  host: setting(plainText('a host name or address'), {
    argument: 'address',
    default: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 listens on every one',
  }),
  data: setting(plainText('the path of a folder'), {
    argument: 'folder',
    default: '.tallywire',
    help: 'folder that holds the log and all that was derived from it',
  }),
  world: setting(world, {
    argument: 'world',
    default: 'embedded',
    help: 'where the data comes from: embedded (a seeded stand-in), live, or the address of a `tallywire world`',
  }),
  seed: setting(integer(0, 4_294_967_295), {
    argument: 'number',
    default: 1,
    help: 'seed of the embedded world',
  }),
  accountA: setting(pathSegment, {
    argument: 'segment',
    default: 'account_a',
    help: 'path segment of account A',
  }),
  accountB: setting(pathSegment, {
    argument: 'segment',
    default: 'account_b',
    help: 'path segment of account B',
  }),
  postsToken: setting(plainText('a token'), {
    argument: 'token',
    default: '',
    help: 'app token of the posts API; needed when the world is live',
    isSecret: true,
  }),
  retentionDays: setting(integer(2, 3_650), {
    argument: 'days',
    default: 90,
    help: 'days the log and its outputs are kept',
  }),
  usageRetentionDays: setting(integer(1, 3_650), {
    argument: 'days',
    default: 90,
    help: 'days the usage of keys is kept',
  }),
  historyDays: setting(integer(1, 3_650), {
    argument: 'days',
    default: 100,
    help: 'days of posts read back at the first start',
  }),
  checkpointSeconds: setting(seconds, {
    argument: 'seconds',
    default: 300,
    help: 'seconds between two checkpoints',
  }),
  drainSeconds: setting(integer(0, 15), {
    argument: 'seconds',
    default: 0,
    help: 'seconds of 503 on /readyz before a stop closes the port, for a proxy in front to notice',
  }),
  trustedProxies: setting(networks, {
    argument: 'networks',
    default: '',
    help: 'networks of the proxies in front, separated by commas: their X-Forwarded-For is believed',
  }),
  connectionsPerAddress: setting(integer(1, 15_000), {
    argument: 'number',
    default: 4_096,
    help: 'connections one address may hold at a time; trusted proxies may hold any number',
  }),
  feed: setting(toggle, {
    argument: 'boolean',
    default: true,
    help: 'whether the push feed is served',
  }),
  feedConnections: setting(integer(1, 15_000), {
    argument: 'number',
    default: 12_000,
    help: 'connections the feed takes in all',
  }),
  feedConnectionsPerAddress: setting(integer(1, 15_000), {
    argument: 'number',
    default: 20,
    help: 'connections to the feed one address may hold at a time',
  }),
  feedConnectionsPerKey: setting(integer(1, 15_000), {
    argument: 'number',
    default: 5,
    help: 'connections to the feed that may use one key at a time',
  }),
  feedConnectsPerMinute: setting(integer(1, 1_000_000), {
    argument: 'number',
    default: 60,
    help: 'connections to the feed one address may open within a minute',
  }),
  staleSecondsPosts: setting(seconds, {
    argument: 'seconds',
    default: 10,
    help: 'age from which posts are stale, in seconds',
  }),
  staleSecondsOracle: setting(seconds, {
    argument: 'seconds',
    default: 900,
    help: "age from which the oracle's count is stale, in seconds",
  }),
  staleSecondsUi: setting(seconds, {
    argument: 'seconds',
    default: 300,
    help: "age from which the trading page's count is stale, in seconds",
  }),
  staleSecondsPrices: setting(seconds, {
    argument: 'seconds',
    default: 60,
    help: 'age from which prices are stale, in seconds',
  }),
  payments: setting<'off' | 'demo' | 'on'>(oneOf(['off', 'demo', 'on']), {
    argument: 'mode',
    default: 'off',
    help: 'whether single calls can be paid for: off, demo (made-up money, in a made-up world), or on',
  }),
  paymentPrice: setting(price, {
    argument: 'price',
    default: '0.01',
    help: 'what a paid call costs, in units of the asset',
  }),
  paymentPrices: setting(prices, {
    argument: 'prices',
    default: '',
    help: 'other prices for paths below /api/v1, such as signals=0.02,portfolio=0.05; the longest path wins',
  }),
  paymentNetwork: setting(chain, {
    argument: 'network',
    default: '',
    help: 'network payments are made on, such as eip155:84532',
  }),
  paymentAsset: setting(address, {
    argument: 'address',
    default: '',
    help: 'contract of the token to pay in, which has to have 6 decimals',
  }),
  paymentAssetName: setting(plainText('the name of a token'), {
    argument: 'name',
    default: '',
    help: "the token's name, as its signatures are made over",
  }),
  paymentAssetVersion: setting(plainText('the version of a token'), {
    argument: 'version',
    default: '',
    help: "the token's version, as its signatures are made over",
  }),
  paymentPayTo: setting(address, {
    argument: 'address',
    default: '',
    help: 'address that is paid',
  }),
  paymentFacilitator: setting(facilitator, {
    argument: 'url',
    default: '',
    help: 'address of the facilitator that verifies and settles payments',
  }),
  logLevel: setting<LogLevel>(oneOf(LOG_LEVELS), {
    argument: 'level',
    default: 'info',
    help: `least severe level that is logged: ${LOG_LEVELS.join(', ')}; on a terminal the default is warn`,
  }),
  json: setting(toggle, {
    default: false,
    help: 'say what happens as one JSON object per line on stdout',
  }),
};

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K]['default'];

// Not typed by Object.keys, which knows that objects may have more keys than their type.
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** `accountA` as a flag is `--account-a`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `accountA` in the environment is `TALLYWIRE_ACCOUNT_A`. */
export function envOf(key: string): string {
  return `TALLYWIRE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
