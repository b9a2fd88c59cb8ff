import { inspect } from 'node:util';
import type { AccountId, Input } from '../../streams/internal.ts';
import { ConfigError, type Fault } from '../errors.ts';
import { nearest } from './nearest.ts';
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

/** The path of the config file is found by the command line, so it is known here but not read. */
export const CONFIG_FILE_ENV = 'TALLYWIRE_CONFIG';

export interface AccountConfig {
  readonly id: AccountId;
  /** How the account is called in paths. */
  readonly segment: string;
}

/** Where the data comes from. */
export type WorldConfig =
  | { readonly type: 'embedded'; readonly seed: number }
  | { readonly type: 'remote'; readonly url: string }
  | { readonly type: 'live'; readonly postsToken: string };

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly data: string;
  readonly world: WorldConfig;
  readonly accounts: readonly AccountConfig[];
  readonly retentionDays: number;
  readonly usageRetentionDays: number;
  readonly historyDays: number;
  readonly checkpointSeconds: number;
  readonly drainSeconds: number;
  /** Networks such as `10.0.0.0/8`. */
  readonly trustedProxies: readonly string[];
  readonly connectionsPerAddress: number;
  /** Null: no push feed. */
  readonly feed: {
    readonly connections: number;
    readonly perAddress: number;
    readonly perKey: number;
    readonly connectsPerMinute: number;
  } | null;
  readonly staleAfterMs: Readonly<Record<Input, number>>;
  readonly payments: PaymentsConfig;
  readonly logLevel: LogLevel;
  readonly json: boolean;
}

export interface ConfigInput {
  /** Flags that were given, by key. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** What no option of the command line took: each is a fault. */
  readonly strays?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the config file holds; undefined without one. */
  readonly file?: unknown;
  /** Used instead of the defaults of the table. */
  readonly defaults?: Partial<Values>;
}

export type Values = { readonly [K in SettingKey]: SettingValue<K> };

interface Given {
  readonly name: string;
  readonly value: unknown;
}

/** Long values are cut, so that a fault stays one line. */
const MAX_SHOWN_CHARS = 60;

function shown(value: unknown): string {
  const text = inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, compact: true });
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownName(name: string, known: readonly string[]): Fault {
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `, did you mean ${near}`;
  return { loc: [name], msg: `unknown setting${hint}`, type: 'unknown' };
}

/** A variable that is set to nothing counts as not given: scripts pass empty ones on. */
function inEnv(env: ConfigInput['env'], name: string | undefined): Given | undefined {
  const value = name === undefined ? undefined : env[name];
  return name === undefined || value === undefined || value === '' ? undefined : { name, value };
}

function ownValue(record: unknown, key: string): unknown {
  return isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The value that counts: of the flag, else of the environment, else of the file. */
function given(key: SettingKey, { flags, env, file }: ConfigInput): Given | undefined {
  const { alsoEnv, isSecret }: Setting<unknown> = SETTINGS[key];
  const flag = isSecret ? undefined : ownValue(flags, key);
  if (flag !== undefined) return { name: flagOf(key), value: flag };
  const variable = inEnv(env, envOf(key)) ?? inEnv(env, alsoEnv);
  if (variable !== undefined) return variable;
  const value = ownValue(file, key);
  return value === undefined ? undefined : { name: `config file: ${key}`, value };
}

/** A flag without its value, which may be a secret put in the wrong place; or an argument nobody asked for. */
function strayFault(stray: string, known: readonly string[]): Fault {
  if (stray.startsWith('-')) return unknownName(stray.split('=', 1)[0] ?? stray, known);
  return { loc: ['arguments'], msg: `expected options only, found ${shown(stray)}`, type: 'unknown' };
}

function unknownNames({ flags, strays = [], env, file }: ConfigInput): Fault[] {
  const flagKeys = SETTING_KEYS.filter((key) => !('isSecret' in SETTINGS[key]));
  const knownFlags = [...flagKeys.map(flagOf), '--config', '--help'];
  const variables = [...SETTING_KEYS.map(envOf), CONFIG_FILE_ENV];
  const faults = Object.keys(flags)
    .filter((key) => !flagKeys.some((known) => known === key))
    .map((key) => unknownName(flagOf(key), knownFlags));
  for (const stray of strays) faults.push(strayFault(stray, knownFlags));
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

interface Reading {
  readonly values: Values;
  readonly faults: readonly Fault[];
  /** Settings with a fault. Their value is the default. */
  readonly faulty: ReadonlySet<SettingKey>;
}

/** The values of `keys`, and every fault of them and of names nobody knows. */
function readValues(keys: readonly SettingKey[], input: ConfigInput): Reading {
  const faults = unknownNames(input);
  const faulty = new Set<SettingKey>();
  const values: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const { schema, expects, isSecret, default: fallback }: Setting<unknown> = SETTINGS[key];
    values[key] = input.defaults?.[key] ?? fallback;
    const found = keys.includes(key) ? given(key, input) : undefined;
    if (found === undefined) continue;
    const parsed = schema.safeParse(found.value);
    if (parsed.success) values[key] = parsed.data;
    else {
      faulty.add(key);
      const what = isSecret ? '' : `, found ${shown(found.value)}`;
      faults.push({ loc: [found.name], msg: `expected ${expects}${what}`, type: 'value' });
    }
  }
  // Each value came out of the schema that its key names.
  return { values: values as Values, faults, faulty };
}

/** The named settings alone, for commands that need only those; the others have their defaults. */
export function parseSettings(keys: readonly SettingKey[], input: ConfigInput): Values {
  const { values, faults } = readValues(keys, input);
  if (faults.length > 0) throw new ConfigError(faults);
  return values;
}

function toWorld({ world, seed, postsToken }: Values): WorldConfig {
  if (world === 'embedded') return { type: 'embedded', seed };
  return world === 'live' ? { type: 'live', postsToken } : { type: 'remote', url: world };
}

/** What no single value shows. */
function faultsBetween({ values, faulty }: Reading, input: ConfigInput): Fault[] {
  const { accountA, accountB, world, postsToken } = values;
  const faults: Fault[] = [];
  const areSame = accountA.toLowerCase() === accountB.toLowerCase();
  if (areSame && !faulty.has('accountA') && !faulty.has('accountB')) {
    const givenB = given('accountB', input);
    // A default is nobody's fault: then it is account A that was called like it.
    const { name, value } = givenB ??
      given('accountA', input) ?? { name: flagOf('accountB'), value: accountB };
    const other = givenB ? 'A' : 'B';
    const msg = `expected another segment than that of account ${other}, found ${shown(value)}`;
    faults.push({ loc: [name], msg, type: 'value' });
  }
  if (world === 'live' && postsToken === '' && !faulty.has('postsToken')) {
    const msg = 'expected the app token of the posts API, as the world is live';
    faults.push({ loc: [envOf('postsToken')], msg, type: 'missing' });
  }
  return [...faults, ...paymentFaults(values, faulty)];
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Flags win over the environment, the environment over the file. Throws one ConfigError with every fault. */
export function parseConfig(input: ConfigInput): Config {
  const reading = readValues(SETTING_KEYS, input);
  const { values } = reading;
  const faults = [...reading.faults, ...faultsBetween(reading, input)];
  if (faults.length > 0) throw new ConfigError(faults);
  const { port, host, data, retentionDays, historyDays, checkpointSeconds, drainSeconds, logLevel, json } =
    values;
  return frozen({
    port,
    host,
    data,
    world: toWorld(values),
    accounts: [
      { id: 'a', segment: values.accountA },
      { id: 'b', segment: values.accountB },
    ],
    retentionDays,
    usageRetentionDays: values.usageRetentionDays,
    historyDays,
    checkpointSeconds,
    drainSeconds,
    trustedProxies: values.trustedProxies.split(',').filter((network) => network !== ''),
    connectionsPerAddress: values.connectionsPerAddress,
    feed: values.feed
      ? {
          connections: values.feedConnections,
          perAddress: values.feedConnectionsPerAddress,
          perKey: values.feedConnectionsPerKey,
          connectsPerMinute: values.feedConnectsPerMinute,
        }
      : null,
    staleAfterMs: {
      posts: values.staleSecondsPosts * 1_000,
      oracle: values.staleSecondsOracle * 1_000,
      ui: values.staleSecondsUi * 1_000,
      prices: values.staleSecondsPrices * 1_000,
    },
    payments: toPayments(values),
    logLevel,
    json,
  });
}
