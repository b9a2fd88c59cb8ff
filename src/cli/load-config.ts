import { readFileSync } from 'node:fs';
import {
  CONFIG_FILE_ENV,
  type ConfigInput,
  parseSettings,
  parseWithAccounts,
  type Values,
  type ValuesWithAccounts,
} from '../config/config.ts';
import { jsonPlaces, placeAt, placeOf } from '../config/json-places.ts';
import type { SettingKey } from '../config/settings.ts';
import { findJsonFault } from '../contract/validation/json-fault.ts';
import { ConfigError, type Fault } from '../errors.ts';
import { wordsFor } from './system-words.ts';

type Sources = Pick<ConfigInput, 'flags' | 'unknownArguments' | 'env' | 'defaults'>;

interface ConfigFile {
  readonly text?: string;
  readonly file?: unknown;
  readonly fault?: Fault;
}

function readFile(path: string, name: string): ConfigFile {
  const fault = (msg: string): Fault => ({ loc: [name], msg, type: 'file' });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const words = error instanceof Error && 'code' in error ? wordsFor(String(error.code)) : undefined;
    return { fault: fault(`cannot read the config file ${path}: ${words ?? String(error)}`) };
  }
  try {
    return { text, file: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the file, which may hold a token.
    const before = Array.from(text)
      .slice(0, findJsonFault(text) ?? 0)
      .join('');
    const { line, column } = placeAt(text, before.length);
    return {
      fault: fault(`the config file ${path} is not valid JSON from line ${line}, column ${column} on`),
    };
  }
}

/** Reads the config file that `--config` or the environment names, then parses; reports the faults of both at once. */
export function loadConfig<T>(parse: (input: ConfigInput) => T, sources: Sources): T {
  const { flags, env } = sources;
  const { config: flag, ...others } = flags;
  const path = typeof flag === 'string' ? flag : env[CONFIG_FILE_ENV] || undefined;
  const read: ConfigFile = path === undefined ? {} : readFile(path, flag ? '--config' : CONFIG_FILE_ENV);
  const { text, file, fault } = read;
  try {
    const parsed = parse({ ...sources, flags: others, file });
    if (fault === undefined) return parsed;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = text === undefined ? error.faults : placed(error.faults, text, path ?? '');
    throw new ConfigError(fault === undefined ? faults : [fault, ...faults]);
  }
  throw new ConfigError([fault]);
}

const WHOLE_FILE = 'config file';
const OF_FILE = `${WHOLE_FILE}: `;

/** Faults of the file are named by their place in it, as compilers do. */
function placed(faults: readonly Fault[], text: string, file: string): readonly Fault[] {
  const places = jsonPlaces(text);
  return faults.map((fault) => {
    const [name, ...rest] = fault.loc;
    if (name === WHOLE_FILE) return { ...fault, loc: [file] };
    if (typeof name !== 'string' || !name.startsWith(OF_FILE)) return fault;
    const path = name.slice(OF_FILE.length);
    const place = placeOf(places, path);
    if (place === undefined) return fault;
    return { ...fault, loc: [`${file}:${place.line}:${place.column}: ${path}`, ...rest] };
  });
}

/** For commands that need only the named settings. */
export function loadSettings(keys: readonly SettingKey[], sources: Sources): Values {
  return loadConfig((input) => parseSettings(keys, input), sources);
}

/** The named settings, and the accounts that follow from them. */
export function loadWithAccounts(keys: readonly SettingKey[], sources: Sources): ValuesWithAccounts {
  return loadConfig((input) => parseWithAccounts(keys, input), sources);
}
