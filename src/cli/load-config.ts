import { readFileSync } from 'node:fs';
import {
  CONFIG_FILE_ENV,
  type ConfigInput,
  parseSettings,
  parseWithAccounts,
  type Values,
} from '../config/config.ts';
import type { SettingKey } from '../config/settings.ts';
import { ConfigError, type Fault } from '../errors.ts';

type Sources = Pick<ConfigInput, 'flags' | 'unknownArguments' | 'env' | 'defaults'>;

function readFile(path: string, name: string): { file?: unknown; fault?: Fault } {
  const fault = (msg: string): Fault => ({ loc: [name], msg, type: 'file' });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return { fault: fault(`cannot read the config file ${path}${reason}`) };
  }
  try {
    return { file: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the file, which may hold a token.
    return { fault: fault(`the config file ${path} is not valid JSON`) };
  }
}

/** Reads the config file that `--config` or the environment names, then parses; reports the faults of both at once. */
export function loadConfig<T>(parse: (input: ConfigInput) => T, sources: Sources): T {
  const { flags, env } = sources;
  const { config: flag, ...others } = flags;
  const path = typeof flag === 'string' ? flag : env[CONFIG_FILE_ENV] || undefined;
  const { file, fault } = path === undefined ? {} : readFile(path, flag ? '--config' : CONFIG_FILE_ENV);
  const input = { ...sources, flags: others, file };
  if (fault === undefined) return parse(input);
  try {
    parse(input);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError([fault, ...error.faults]);
    throw error;
  }
  throw new ConfigError([fault]);
}

/** For commands that need only the named settings. */
export function loadSettings(keys: readonly SettingKey[], sources: Sources): Values {
  return loadConfig((input) => parseSettings(keys, input), sources);
}

/** The named settings, and the accounts. */
export function loadWithAccounts(
  keys: readonly SettingKey[],
  sources: Sources,
): ReturnType<typeof parseWithAccounts> {
  return loadConfig((input) => parseWithAccounts(keys, input), sources);
}
