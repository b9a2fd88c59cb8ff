import { HOUR_MS, type LimitedInput, type PostsVia } from '../../streams/internal.ts';
import { ConfigError, type Fault } from '../errors.ts';
import { type AccountConfig, toAccounts } from './accounts.ts';
import { type AlertConfig, toAlerts } from './alerts.ts';
import { type ClusterConfig, CREDENTIALS, clusterFaults, toCluster } from './cluster.ts';
import { type Given, isRecord, ownValue, quote, unknownName } from './faults.ts';
import { madeUpFor } from './made-up-accounts.ts';
import { type PaymentsConfig, paymentFaults, toPayments } from './payments.ts';
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

export type WorldConfig =
  | {
      readonly type: 'embedded';
      readonly seed: number;
      /** How many made-up accounts there are. */
      readonly accounts: number;
      /** How many times faster than the clock on the wall its time passes, and that of the engine. */
      readonly speed: number;
    }
  | { readonly type: 'remote'; readonly url: string }
  | { readonly type: 'live'; readonly postsToken: string };

/** How posts are read, and what that costs. */
interface PostsConfig {
  readonly via: PostsVia;
  readonly periodMs: number;
  readonly recheckPeriodMs: number;
  readonly listPeriodMs: number;
  /** The age from which posts of the oracle's list are stale. */
  readonly listStaleAfterMs: number;
  readonly deletionsPeriodMs: number;
  readonly deletionsHorizonMs: number;
  readonly usdPer1000Reads: number;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  /** Null: this machine is alone. */
  readonly cluster: ClusterConfig | null;
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
  readonly alerts: {
    readonly rules: readonly AlertConfig[];
    /** Whether they may be sent to private addresses. */
    readonly toPrivate: boolean;
  };
  readonly showPosts: boolean;
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

/** An empty variable counts as not given, as scripts often pass empty ones. */
function inEnv(env: ConfigInput['env'], name: string | undefined): Given | undefined {
  const value = name === undefined ? undefined : env[name];
  return name === undefined || value === undefined || value === '' ? undefined : { name, value };
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
  const variables = [...SETTING_KEYS.map(envOf), CONFIG_FILE_ENV, ...CREDENTIALS];
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
    faults.push(unknownName(key, SETTING_KEYS, `config file: ${key}`));
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

export interface ValuesWithAccounts {
  readonly values: Values;
  readonly accounts: readonly AccountConfig[];
}

/** The named settings, and the accounts that follow from them. */
export function parseWithAccounts(keys: readonly SettingKey[], input: ConfigInput): ValuesWithAccounts {
  const parsed = parseValues(keys, input);
  const { accounts, faults } = accountsOf(parsed, input);
  if (parsed.faults.length + faults.length > 0) throw new ConfigError([...parsed.faults, ...faults]);
  return { values: parsed.values, accounts };
}

function accountsOf({ values, faulty }: ParsedValues, input: ConfigInput) {
  const { via, periodMs } = toPosts(values);
  return toAccounts({
    accounts: values.accounts,
    place: givenValue('accounts', input)?.name ?? flagOf('accounts'),
    segmentOf: (setting) => (faulty.has(setting) ? undefined : givenValue(setting, input)),
    defaults: {
      hasTimelines: values.world !== 'live' || values.postsToken !== '' || faulty.has('postsToken'),
      pollingMs: periodMs,
      staleAfterMs: toAgeLimits(values, via),
    },
  });
}

function toWorld(
  { world, seed, speed, postsToken }: Values,
  accounts: readonly AccountConfig[],
): WorldConfig {
  if (world === 'embedded') {
    return { type: 'embedded', seed, accounts: madeUpFor(accounts), speed };
  }
  return world === 'live' ? { type: 'live', postsToken } : { type: 'remote', url: world };
}

function toPosts(values: Values): PostsConfig {
  return {
    via: viaOf(values),
    periodMs: values.postsSeconds * 1_000,
    recheckPeriodMs: values.postsRecheckSeconds * 1_000,
    listPeriodMs: values.postsListSeconds * 1_000,
    listStaleAfterMs: values.staleSecondsPostsList * 1_000,
    deletionsPeriodMs: values.deletionsSeconds * 1_000,
    deletionsHorizonMs: values.deletionsHours * HOUR_MS,
    usdPer1000Reads: values.postsReadPrice,
  };
}

function toAgeLimits(values: Values, via: PostsVia): Config['staleAfterMs'] {
  const posts = via === 'timeline' ? values.staleSecondsPosts : values.staleSecondsPostsList;
  return {
    posts: posts * 1_000,
    oracle: values.staleSecondsOracle * 1_000,
    ui: values.staleSecondsUi * 1_000,
    prices: values.staleSecondsPrices * 1_000,
    events: values.staleSecondsEvents * 1_000,
    crypto: values.staleSecondsCrypto * 1_000,
  };
}

/** Stand-in worlds bring a token of their own. */
function viaOf({ world, postsFrom, postsToken }: Values): PostsVia {
  if (postsFrom !== 'auto') return postsFrom;
  return world === 'live' && postsToken === '' ? 'oracle_list' : 'timeline';
}

/** Faults of values that are fine by themselves but do not fit each other. */
function faultsBetween({ values, faulty }: ParsedValues, input: ConfigInput): Fault[] {
  const { world, postsToken, postsFrom } = values;
  const faults: Fault[] = [];
  if (values.speed > 1 && world !== 'embedded' && !faulty.has('speed')) {
    const { name = flagOf('speed') } = givenValue('speed', input) ?? {};
    const msg = 'expected 1, as only the embedded world can be made faster';
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
  if (!(['role', 'bus', 'world'] as const).some((key) => faulty.has(key))) {
    const nameOf = (key: SettingKey) => givenValue(key, input)?.name ?? flagOf(key);
    faults.push(...clusterFaults(values, nameOf));
  }
  return [...faults, ...paymentFaults(values, faulty)];
}

function notAtEdges(place: string): Fault {
  return { loc: [place], msg: 'expected no rules, as the engines of a cluster have them', type: 'value' };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** A flag wins over the environment, and the environment over the file. Throws one ConfigError with every fault. */
export function parseConfig(input: ConfigInput): Config {
  const parsed = parseValues(SETTING_KEYS, input);
  const { values } = parsed;
  const accounts = accountsOf(parsed, input);
  const alertsPlace = givenValue('alerts', input)?.name ?? envOf('alerts');
  const alerts = toAlerts(values.alerts, alertsPlace, accounts.accounts);
  const faults = [
    ...parsed.faults,
    ...faultsBetween(parsed, input),
    ...accounts.faults,
    ...alerts.faults,
    ...(values.role === 'edge' && alerts.alerts.length > 0 ? [notAtEdges(alertsPlace)] : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const posts = toPosts(values);
  return deepFreeze({
    port: values.port,
    host: values.host,
    data: values.data,
    cluster: toCluster(values, input.env),
    world: toWorld(values, accounts.accounts),
    posts,
    accounts: accounts.accounts,
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
    staleAfterMs: toAgeLimits(values, posts.via),
    payments: toPayments(values),
    alerts: { rules: alerts.alerts, toPrivate: values.alertsToPrivate },
    showPosts: values.showPosts,
    logLevel: values.logLevel,
    json: values.json,
  });
}
