import { type Command, Option } from 'commander';
import { envOf, flagOf, SETTINGS, type Setting, type SettingKey } from '../config/settings.ts';

/** Adds the flags of settings to a command, with their help. Secrets have none. */
export function addSettings(command: Command, keys: readonly SettingKey[], defaults: Defaults = {}): Command {
  for (const key of keys) {
    const { argument, help, isSecret, alsoEnv, default: usual }: Setting<unknown> = SETTINGS[key];
    if (isSecret) continue;
    const env = alsoEnv === undefined ? envOf(key) : `${envOf(key)} or ${alsoEnv}`;
    const byDefault = defaults[key] ?? usual;
    const value = argument === undefined ? '' : `default: ${byDefault === '' ? 'none' : byDefault}, `;
    const flag = argument === undefined ? flagOf(key) : `${flagOf(key)} <${argument}>`;
    // Without commander's own default, so that only flags that were given count as given.
    command.addOption(new Option(flag, `${help} (${value}env: ${env})`));
  }
  return command.addOption(
    new Option(
      '--config <file>',
      'JSON file of settings, under the names of the flags in camelCase (env: TALLYWIRE_CONFIG)',
    ),
  );
}

type Defaults = Partial<Record<SettingKey, string | number>>;

/** Of the arguments that no option took, those to report. What follows an unknown flag is taken for its value. */
export function unknownArguments(args: readonly string[]): readonly string[] {
  const takesNext = (arg: string | undefined) => arg !== undefined && isFlag(arg) && !arg.includes('=');
  return args.filter((arg, index) => isFlag(arg) || (arg !== '--' && !takesNext(args[index - 1])));
}

function isFlag(arg: string): boolean {
  return /^--?[^-\d]/.test(arg);
}
