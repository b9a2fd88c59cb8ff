import { accountList } from './accounts.ts';
import { alertList } from './alerts.ts';
import {
  address,
  amount,
  chain,
  copies,
  days,
  type Format,
  facilitator,
  flag,
  integer,
  name,
  networks,
  node,
  oneOf,
  pathSegment,
  plainText,
  price,
  prices,
  seconds,
  servers,
  toggle,
  world,
} from './formats.ts';

export interface Setting<T> extends Format<T> {
  readonly default: T;
  readonly help: string;
  /** Never printed, and no flag, as every user of a machine can read its command lines. */
  readonly isSecret?: true;
  /** Another variable, which is read when the setting's own is not given. */
  readonly alsoEnv?: string;
}

function setting<T>(
  format: Format<T>,
  byDefault: T,
  help: string,
  rest: Pick<Setting<T>, 'isSecret' | 'alsoEnv'> = {},
): Setting<T> {
  return { ...format, default: byDefault, help, ...rest };
}

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything that can be configured. Flags, variables and keys of the config file are named after the key. */
export const SETTINGS = {
  port: setting(integer(0, 65_535), 8080, 'TCP port to listen on; 0 takes any free one', { alsoEnv: 'PORT' }),
  host: setting(
    plainText('a host name or address', 'address'),
    '127.0.0.1',
    'address to listen on; 0.0.0.0 listens on every one',
  ),
  data: setting(
    plainText('the path of a folder', 'folder'),
    '.tallywire',
    'folder of the log and of everything derived from it',
  ),
  role: setting<'all' | 'engine' | 'edge'>(
    oneOf(['all', 'engine', 'edge'], 'role'),
    'all',
    'what this process does: all (the engine and its readers), engine (the same, always on a bus), or edge (readers of all engines on the bus)',
  ),
  bus: setting(
    servers,
    '',
    'NATS servers that several machines share, separated by commas; without it this machine is alone',
  ),
  shard: setting(
    name,
    'main',
    'name of the accounts of this engine on the bus; engines of one name stand by for each other',
  ),
  callersShard: setting(
    name,
    '',
    'name of the shard whose engines keep keys, limits, waitlist, payments and usage; without it the first one that is led',
  ),
  busReplicas: setting(copies, 1, 'copies that the NATS servers keep of everything: 1, 3 or 5'),
  world: setting(
    world,
    'embedded',
    'where the data comes from: embedded (a seeded stand-in), live, or the address of a `tallywire world`',
  ),
  seed: setting(integer(0, 4_294_967_295), 1, 'seed of the embedded world'),
  accounts: setting<number | readonly unknown[]>(
    accountList,
    2,
    'how many accounts are followed, for the stand-in worlds; in the config file also a list of accounts',
  ),
  speed: setting(
    integer(1, 600),
    1,
    'how many times faster than real time the embedded world and the engine run, to see events settle within minutes',
  ),
  accountA: setting(pathSegment, 'account_a', 'path segment of account A'),
  accountB: setting(pathSegment, 'account_b', 'path segment of account B'),
  postsToken: setting(
    plainText('a token', 'token'),
    '',
    "app token of the posts API; without it the live world's posts come from the oracle's list",
    { isSecret: true },
  ),
  postsFrom: setting<'auto' | 'timeline' | 'oracle_list'>(
    oneOf(['auto', 'timeline', 'oracle_list'], 'place'),
    'auto',
    "where posts are read: timeline (needs the token), oracle_list (the oracle's own list: free, minutes late), or auto: the timeline when it can be read",
  ),
  postsSeconds: setting(seconds(), 1, 'seconds between two looks for new posts on the timeline'),
  postsRecheckSeconds: setting(
    seconds(),
    299,
    'seconds between two second readings of young posts on the timeline, each of posts up to twice as old',
  ),
  postsListSeconds: setting(
    seconds(),
    21,
    'seconds between two looks whether the oracle has new posts in its list',
  ),
  deletionsSeconds: setting(
    seconds(),
    29,
    'shortest time between two looks whether a post was deleted, in seconds; they become rarer with its age',
  ),
  deletionsHours: setting(
    integer(1, 72, 'hours'),
    24,
    'age from which posts are not looked at again, in hours',
  ),
  postsReadPrice: setting(
    amount,
    5,
    'what 1,000 posts read from the posts API cost, in USD, for the estimates of its cost',
  ),
  retentionDays: setting(days(2), 90, 'days the log and its outputs are kept'),
  usageRetentionDays: setting(days(1), 90, 'days the usage of keys is kept'),
  diskReserveMb: setting(
    integer(1, 1_000_000, 'megabytes'),
    16,
    'megabytes left free on the disk of the data folder: below that nothing is written until there is space again',
  ),
  historyDays: setting(days(1), 100, 'days of posts read back at the first start'),
  checkpointSeconds: setting(
    seconds(),
    300,
    'seconds between two checkpoints; fewer in the first minutes after a start',
  ),
  drainSeconds: setting(
    seconds(0, 15),
    0,
    'seconds of 503 on /readyz before a stop closes the port, for a proxy in front to notice',
  ),
  trustedProxies: setting(
    networks,
    '',
    'networks of the proxies in front, separated by commas: their X-Forwarded-For is believed',
  ),
  connectionsPerAddress: setting(
    integer(1, 15_000),
    4_096,
    'connections one address may hold at a time; trusted proxies may hold any number',
  ),
  trafficPerMinute: setting(
    integer(0, 1_000_000, 'megabytes'),
    240,
    'megabytes one address or key may be served within a minute, with 4 KiB for each request; 0 is no limit',
  ),
  unsentMegabytes: setting(
    integer(1, 10_000, 'megabytes'),
    8,
    'megabytes of requests and answers that may wait for callers who do not read, over all connections',
  ),
  metricsPort: setting(
    integer(0, 65_535),
    0,
    'TCP port of its own for /metrics, where no key is needed; with 0 it is on the main port, for INTERNAL keys',
  ),
  metricsHost: setting(
    plainText('a host name or address', 'address'),
    '127.0.0.1',
    'address to listen on for the port of /metrics',
  ),
  feed: setting(toggle, true, 'whether the push feed is served'),
  feedConnections: setting(integer(1, 15_000), 12_000, 'connections the feed takes in all'),
  feedConnectionsPerAddress: setting(
    integer(1, 15_000),
    20,
    'connections to the feed one address may hold at a time',
  ),
  feedConnectionsPerKey: setting(
    integer(1, 15_000),
    5,
    'connections to the feed that may use one key at a time',
  ),
  feedConnectsPerMinute: setting(
    integer(1, 1_000_000),
    60,
    'connections to the feed one address may open within a minute',
  ),
  feedReplayMegabytesPerMinute: setting(
    integer(1, 1_000_000),
    60,
    'megabytes of snapshots and missed frames the feed sends one key, or one address without a key, within a minute; what is beyond comes later',
  ),
  staleSecondsPosts: setting(seconds(), 10, 'age from which posts are stale, in seconds'),
  staleSecondsPostsList: setting(
    seconds(60),
    600,
    "age from which posts are stale when they are read from the oracle's list alone, in seconds",
  ),
  staleSecondsOracle: setting(seconds(), 900, "age from which the oracle's count is stale, in seconds"),
  staleSecondsUi: setting(seconds(), 300, "age from which the trading page's count is stale, in seconds"),
  staleSecondsPrices: setting(seconds(), 60, 'age from which prices are stale, in seconds'),
  staleSecondsEvents: setting(seconds(), 180, 'age from which the list of events is stale, in seconds'),
  staleSecondsCrypto: setting(seconds(), 60, 'age from which spot prices are stale, in seconds'),
  payments: setting<'off' | 'demo' | 'on'>(
    oneOf(['off', 'demo', 'on'], 'mode'),
    'off',
    'whether single calls can be paid for: off, demo (made-up money, in a made-up world), or on',
  ),
  paymentPrice: setting(price, '0.01', 'what a paid call costs, in units of the asset'),
  paymentPrices: setting(
    prices,
    '',
    'other prices for paths below /api/v1, such as signals=0.02,portfolio=0.05; the longest path wins',
  ),
  paymentNetwork: setting(chain, '', 'network payments are made on, such as eip155:84532'),
  paymentAsset: setting(address, '', 'contract of the token to pay in, which has to have 6 decimals'),
  paymentAssetName: setting(
    plainText('the name of a token', 'name'),
    '',
    "the token's name, as it stands in its signatures",
  ),
  paymentAssetVersion: setting(
    plainText('the version of a token', 'version'),
    '',
    "the token's version, as it stands in its signatures",
  ),
  paymentPayTo: setting(address, '', 'address that is paid'),
  paymentFacilitator: setting(
    facilitator,
    '',
    'address of the facilitator that verifies and settles payments',
  ),
  paymentNode: setting(
    node,
    '',
    'address of a node of the chain (JSON-RPC), which shows whether an unclear payment was settled',
    { isSecret: true },
  ),
  alerts: setting<'' | readonly unknown[]>(
    alertList,
    '',
    'rules of alerts: in the config file a list of them, in the environment its JSON',
    { isSecret: true },
  ),
  alertsToPrivate: setting(
    toggle,
    false,
    'whether alerts may be sent to private, loopback and link-local addresses, which keys with rules could then reach',
  ),
  showPosts: setting(flag, false, 'print each new post on one line'),
  logLevel: setting<LogLevel>(
    oneOf(LOG_LEVELS, 'level'),
    'info',
    `least severe level that is logged: ${LOG_LEVELS.join(', ')}; on a terminal the default is warn`,
  ),
  json: setting(flag, false, 'report each step as one JSON object per line on stdout'),
};

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K]['default'];

// `Object.keys` returns strings, as an object may have more keys than its type.
export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

/** `accountA` as a flag is `--account-a`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `accountA` in the environment is `TALLYWIRE_ACCOUNT_A`. */
export function envOf(key: string): string {
  return `TALLYWIRE_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
