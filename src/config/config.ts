import { inspect } from 'node:util';
import { type AccountId, HOUR_MS, type LimitedInput, type PostsVia } from '../../streams/internal.ts';
import { ConfigError, type Fault } from '../errors.ts';
import { nearest } from './nearest.ts';
import { type PaymentsConfig, paymentFaults, toPayments } from './payments.ts';
import { type PollingConfig, toPolling } from './polling.ts';
import {
  envOf,
  flagOf,
  type LogLevel,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type SettingValue,
} from './settings.ts';

/** Names the config file. The command line reads it. */
export const CONFIG_FILE_ENV = 'TALLYWIRE_CONFIG';

export interface AccountConfig {
  readonly id: AccountId;
  /** The account's name in URLs. */
  readonly segment: string;
  /** Whether its signals never say SELL. */
  readonly isBuyOnly?: boolean;
  /** How often its timeline is asked for new posts. */
  readonly polling: PollingConfig;
}

export type WorldConfig =
  | { readonly type: 'embedded'; readonly seed: number }
  | { readonly type: 'remote'; readonly url: string }
  | { readonly type: 'live'; readonly postsToken: string };

/** How posts are read, and what that costs. */
interface PostsConfig {
  readonly via: PostsVia;
  readonly periodMs: number;
  readonly recheckPeriodMs: number;
  readonly listPeriodMs: number;
  readonly deletionsPeriodMs: number;
  readonly deletionsHorizonMs: number;
  readonly usdPer1000Reads: number;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly world: WorldConfig;
  readonly posts: PostsConfig;
  readonly accounts: readonly AccountConfig[];
  readonly retentionDays: number;
  readonly usageRetentionDays: number;
  readonly diskReserveMb: number;
  readonly historyDays: number;
  readonly checkpointSeconds: number;
  readonly drainSeconds: number;
  /** Networks such as `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[];
  readonly connectionsPerAddress: number;
  /** Bytes that one caller may be served within a minute; null for no limit. */
  readonly trafficPerMinute: number | null;
  readonly unsentMegabytes: number;
  /** Where metrics are served without a key; null: only on the main port, with one. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  /** Null: no push feed. */
  readonly feed: {
    readonly connections: number;
    readonly perAddress: number;
    readonly perKey: number;
    readonly connectsPerMinute: number;
    readonly replayBytesPerMinute: number;
  } | null;
  readonly staleAfterMs: Readonly<Record<LimitedInput, number>>;
  readonly payments: PaymentsConfig;
  readonly logLevel: LogLevel;
  readonly json: boolean;
}

export interface ConfigInput {
  /** Flags that were given, by key. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Arguments that no option of the command line took: each is a fault. */
  readonly unknownArguments?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The content of the config file; undefined without one. */
  readonly file?: unknown;
  /** Other defaults than those of the settings. */
  readonly defaults?: Partial<Values>;
}

export type Values = { readonly [K in SettingKey]: SettingValue<K> };

interface Given {
  readonly name: string;
  readonly value: unknown;
}

/** Longer values are cut, so that a fault fits on one line. */
const MAX_QUOTED_CHARS = 60;

function quote(value: unknown): string {
  const text = inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, compact: true });
  return text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownName(name: string, known: readonly string[]): Fault {
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `, did you mean ${near}`;
  return { loc: [name], msg: `unknown setting${hint}`, type: 'unknown' };
}

/** An empty variable counts as not given, as scripts often pass empty ones. */
function inEnv(env: ConfigInput['env'], name: string | undefined): Given | undefined {
  const value = name === undefined ? undefined : env[name];
  return name === undefined || value === undefined || value === '' ? undefined : { name, value };
}

function ownValue(record: unknown, key: string): unknown {
  return isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The value of the flag, else of the environment, else of the file. */
function givenValue(key: SettingKey, { flags, env, file }: ConfigInput): Given | undefined {
  const { alsoEnv, isSecret }: Setting<unknown> = SETTINGS[key];
  const flag = isSecret ? undefined : ownValue(flags, key);
  if (flag !== undefined) return { name: flagOf(key), value: flag };
  const variable = inEnv(env, envOf(key)) ?? inEnv(env, alsoEnv);
  if (variable !== undefined) return variable;
  const value = ownValue(file, key);
  return value === undefined ? undefined : { name: `config file: ${key}`, value };
}

/** The value of an unknown flag is not quoted, as it may be a secret. */
function unknownArgument(argument: string, knownFlags: readonly string[]): Fault {
  if (argument.startsWith('-')) return unknownName(argument.split('=', 1)[0] ?? argument, knownFlags);
  return { loc: ['arguments'], msg: `expected options only, found ${quote(argument)}`, type: 'unknown' };
}

function unknownNames({ flags, unknownArguments = [], env, file }: ConfigInput): Fault[] {
  const flagKeys = SETTING_KEYS.filter((key) => !('isSecret' in SETTINGS[key]));
  const knownFlags = [...flagKeys.map(flagOf), '--config', '--help'];
  const variables = [...SETTING_KEYS.map(envOf), CONFIG_FILE_ENV];
  const faults = Object.keys(flags)
    .filter((key) => !flagKeys.some((known) => known === key))
    .map((key) => unknownName(flagOf(key), knownFlags));
  for (const each of unknownArguments) faults.push(unknownArgument(each, knownFlags));
  for (const name of Object.keys(env)) {
    if (name.startsWith('TALLYWIRE_') && !variables.includes(name)) faults.push(unknownName(name, variables));
  }
  if (file === undefined) return faults;
  if (!isRecord(file)) {
    return [...faults, { loc: ['config file'], msg: 'expected a JSON object of settings', type: 'type' }];
  }
  for (const key of Object.keys(file).filter((name) => !SETTING_KEYS.some((known) => known === name))) {
    const { msg, type } = unknownName(key, SETTING_KEYS);
    faults.push({ loc: [`config file: ${key}`], msg, type });
  }
  return faults;
}

interface ParsedValues {
  readonly values: Values;
  readonly faults: readonly Fault[];
  /** Settings with a fault. Their value is the default. */
  readonly faulty: ReadonlySet<SettingKey>;
}

/** The values of `keys`, with every fault in them and in unknown names. */
function parseValues(keys: readonly SettingKey[], input: ConfigInput): ParsedValues {
  const faults = unknownNames(input);
  const faulty = new Set<SettingKey>();
  const values: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const { schema, expects, isSecret, default: fallback }: Setting<unknown> = SETTINGS[key];
    values[key] = input.defaults?.[key] ?? fallback;
    const found = keys.includes(key) ? givenValue(key, input) : undefined;
    if (found === undefined) continue;
    const parsed = schema.safeParse(found.value);
    if (parsed.success) values[key] = parsed.data;
    else {
      faulty.add(key);
      const what = isSecret ? '' : `, found ${quote(found.value)}`;
      faults.push({ loc: [found.name], msg: `expected ${expects}${what}`, type: 'value' });
    }
  }
  // Each value came out of the schema that its key names.
  return { values: values as Values, faults, faulty };
}

/** For commands that need only the named settings; the others have their defaults. */
export function parseSettings(keys: readonly SettingKey[], input: ConfigInput): Values {
  const { values, faults } = parseValues(keys, input);
  if (faults.length > 0) throw new ConfigError(faults);
  return values;
}

function toWorld({ world, seed, postsToken }: Values): WorldConfig {
  if (world === 'embedded') return { type: 'embedded', seed };
  return world === 'live' ? { type: 'live', postsToken } : { type: 'remote', url: world };
}

function toPosts(values: Values): PostsConfig {
  return {
    via: viaOf(values),
    periodMs: values.postsSeconds * 1_000,
    recheckPeriodMs: values.postsRecheckSeconds * 1_000,
    listPeriodMs: values.postsListSeconds * 1_000,
    deletionsPeriodMs: values.deletionsSeconds * 1_000,
    deletionsHorizonMs: values.deletionsHours * HOUR_MS,
    usdPer1000Reads: values.postsReadPrice,
  };
}

/** Stand-in worlds bring a token of their own. */
function viaOf({ world, postsFrom, postsToken }: Values): PostsVia {
  if (postsFrom !== 'auto') return postsFrom;
  return world === 'live' && postsToken === '' ? 'oracle_list' : 'timeline';
}

/** Faults of values that are fine by themselves but do not fit each other. */
function faultsBetween({ values, faulty }: ParsedValues, input: ConfigInput): Fault[] {
  const { accountA, accountB, world, postsToken, postsFrom } = values;
  const faults: Fault[] = [];
  const areSame = accountA.toLowerCase() === accountB.toLowerCase();
  if (areSame && !faulty.has('accountA') && !faulty.has('accountB')) {
    const givenB = givenValue('accountB', input);
    // When account B has its default, the segment of account A is at fault.
    const { name, value } = givenB ??
      givenValue('accountA', input) ?? { name: flagOf('accountB'), value: accountB };
    const other = givenB ? 'A' : 'B';
    const msg = `expected another segment than that of account ${other}, found ${quote(value)}`;
    faults.push({ loc: [name], msg, type: 'value' });
  }
  const needsToken = world === 'live' && postsFrom === 'timeline';
  if (needsToken && postsToken === '' && !faulty.has('postsToken')) {
    const msg = 'expected the app token of the posts API, as posts are read from the live timeline';
    faults.push({ loc: [envOf('postsToken')], msg, type: 'missing' });
  }
  for (const [period, limit] of [
    ['postsSeconds', 'staleSecondsPosts'],
    ['postsListSeconds', 'staleSecondsPostsList'],
  ] as const) {
    if (values[period] < values[limit] || faulty.has(period) || faulty.has(limit)) continue;
    const { name = flagOf(period) } = givenValue(period, input) ?? {};
    const msg = `expected less than the ${values[limit]} s after which posts are stale, found ${values[period]}`;
    faults.push({ loc: [name], msg, type: 'value' });
  }
  return [...faults, ...paymentFaults(values, faulty)];
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** A flag wins over the environment, and the environment over the file. Throws one ConfigError with every fault. */
export function parseConfig(input: ConfigInput): Config {
  const parsed = parseValues(SETTING_KEYS, input);
  const { values } = parsed;
  const faults = [...parsed.faults, ...faultsBetween(parsed, input)];
  if (faults.length > 0) throw new ConfigError(faults);
  const posts = toPosts(values);
  const polling = toPolling(undefined, posts.periodMs);
  const stalePosts = posts.via === 'timeline' ? values.staleSecondsPosts : values.staleSecondsPostsList;
  return deepFreeze({
    port: values.port,
    host: values.host,
    data: values.data,
    world: toWorld(values),
    posts,
    accounts: [
      { id: 'a', segment: values.accountA, polling },
      { id: 'b', segment: values.accountB, isBuyOnly: true, polling },
    ],
    retentionDays: values.retentionDays,
    usageRetentionDays: values.usageRetentionDays,
    diskReserveMb: values.diskReserveMb,
    historyDays: values.historyDays,
    checkpointSeconds: values.checkpointSeconds,
    drainSeconds: values.drainSeconds,
    trustedProxies: values.trustedProxies.split(',').filter((network) => network !== ''),
    connectionsPerAddress: values.connectionsPerAddress,
    trafficPerMinute: values.trafficPerMinute === 0 ? null : values.trafficPerMinute * 1_000_000,
    unsentMegabytes: values.unsentMegabytes,
    metrics: values.metricsPort === 0 ? null : { port: values.metricsPort, host: values.metricsHost },
    feed: values.feed
      ? {
          connections: values.feedConnections,
          perAddress: values.feedConnectionsPerAddress,
          perKey: values.feedConnectionsPerKey,
          connectsPerMinute: values.feedConnectsPerMinute,
          replayBytesPerMinute: values.feedReplayMegabytesPerMinute * 1_000_000,
        }
      : null,
    staleAfterMs: {
      posts: stalePosts * 1_000,
      oracle: values.staleSecondsOracle * 1_000,
      ui: values.staleSecondsUi * 1_000,
      prices: values.staleSecondsPrices * 1_000,
      events: values.staleSecondsEvents * 1_000,
      crypto: values.staleSecondsCrypto * 1_000,
    },
    payments: toPayments(values),
    logLevel: values.logLevel,
    json: values.json,
  });
}
