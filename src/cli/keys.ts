import { Command, InvalidArgumentError, Option } from 'commander';
import type { KeyCommand, KeyCommandAnswer } from '../access/keys/key-commands.ts';
import { TIERS, type Tier } from '../access/tiers.ts';
import { ServiceError } from '../errors.ts';
import { CLUSTER_NOTE, type Store } from '../store/store.ts';
import { engineOrHere } from './engine-or-here.ts';
import { keyLines, keysTable } from './keys-table.ts';
import { loadSettings } from './load-config.ts';
import { addManual, type Manual } from './manual.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { type Say, writeData } from './write-data.ts';

type Settings = Readonly<Record<string, unknown>>;

const SETTINGS_READ = ['data', 'json'] as const;

async function execute(folder: string, command: KeyCommand, say: Say): Promise<KeyCommandAnswer> {
  const { parseKeyCommandAnswer } = await import('../access/keys/key-commands.ts');
  return engineOrHere(folder, command, {
    parse: parseKeyCommandAnswer,
    refused: (message) => new ServiceError('KEYS_REFUSED', message),
    here: () => runHere(folder, command, say),
  });
}

async function runHere(folder: string, command: KeyCommand, say: Say): Promise<KeyCommandAnswer> {
  const [{ openKeyRegistry }, { runKeyCommand }] = await Promise.all([
    import('../access/keys/key-registry.ts'),
    import('../access/keys/key-commands.ts'),
  ]);
  if (command.op === 'list') {
    const store = await openData(folder);
    try {
      return await runKeyCommand(openKeyRegistry(store.keys, Date.now), command);
    } finally {
      await store.close();
    }
  }
  // Only a first key may create a folder.
  return writeData(folder, { say, mayCreate: command.op === 'create' }, async (store) => {
    refuseCluster(store, folder);
    const answer = await runKeyCommand(openKeyRegistry(store.keys, Date.now), command);
    // Whoever ends a key must know whether a running engine heard of it.
    if (endsKey(command)) say(`no engine runs on ${folder}: the key is refused by any that starts there`);
    return answer;
  });
}

/** What is changed here alone would be missing on the other machines. */
function refuseCluster({ notes }: Store, folder: string): void {
  if (notes.get(CLUSTER_NOTE) === undefined) return;
  throw new ServiceError(
    'KEYS_OF_CLUSTER',
    `the keys in ${folder} are those of a cluster: change them where its leading engine runs`,
  );
}

function endsKey(command: KeyCommand): boolean {
  return command.op === 'revoke' || (command.op === 'rotate' && command.revokesOld);
}

async function run(
  command: KeyCommand,
  settings: Settings,
  { env, stdout, stderr }: ProcessLike,
): Promise<void> {
  const { data, json } = loadSettings(SETTINGS_READ, { flags: settings, env });
  const { keys, key } = await execute(data, command, (sentence) => stderr.write(`${sentence}\n`));
  if (json) {
    for (const each of keys)
      stdout.write(`${JSON.stringify({ type: 'key', ...each, ...(key !== null && { key }) })}\n`);
    return;
  }
  if (command.op === 'list') {
    stdout.write(keysTable(keys));
    return;
  }
  for (const each of keys) stdout.write(keyLines(each, key));
  if (key !== null) stderr.write('The key is shown this once and not stored: save it now.\n');
}

function toTier(text: string): Tier {
  const tier = TIERS.find((each) => each === text.toUpperCase());
  if (tier === undefined) throw new InvalidArgumentError(`expected one of ${TIERS.join(', ')}`);
  return tier;
}

function toLimit(text: string): number {
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1_000_000_000) {
    throw new InvalidArgumentError('expected requests an hour from 1 to 1000000000');
  }
  return limit;
}

function toName(text: string): string {
  if (!/^\P{Cc}{1,100}$/u.test(text)) {
    throw new InvalidArgumentError('expected up to 100 characters, none of them a control character');
  }
  return text;
}

interface CreateFlags extends Settings {
  readonly tier: Tier;
  readonly name?: string;
  readonly limit?: number;
}

const EXIT_CODES: Manual['exitCodes'] = [
  [0, 'done, and stored on disk'],
  [1, 'there is no such key or no store, or the folder cannot be written'],
  [2, 'bad usage or configuration'],
];

function createCommand(proc: ProcessLike): Command {
  const command = new Command('create')
    .addOption(
      new Option('--tier <tier>', `tier of the key: ${TIERS.join(', ')}`)
        .argParser(toTier)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--name <text>', 'purpose of the key, shown in the list').argParser(toName))
    .addOption(
      new Option('--limit <number>', 'requests an hour, instead of the limit of the tier').argParser(toLimit),
    )
    .action(({ tier, name = '', limit, ...settings }: CreateFlags) =>
      run({ op: 'create', tier, name, limit: limit ?? null }, settings, proc),
    );
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'make a key',
    description:
      'Makes a key and prints it this once, as only its hash is stored. The key works at once, also on an engine ' +
      'that is running.',
    examples: [
      ['tallywire keys create --tier PRO --name "a bot"', 'a key for 10,000 requests an hour'],
      ['tallywire keys create --tier FREE --limit 500 --json', 'a FREE key with its own limit, as JSON'],
    ],
    exitCodes: EXIT_CODES,
  });
}

function listCommand(proc: ProcessLike): Command {
  const command = new Command('list').action((settings: Settings) => run({ op: 'list' }, settings, proc));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'list all keys, without their secrets',
    description:
      'Shows id, tier, limit, when each key was made, last used and revoked, and its name; oldest first. Without ' +
      'an engine running, the time of last use may be up to a minute old.',
    examples: [['tallywire keys list', 'all keys of the folder .tallywire']],
    exitCodes: EXIT_CODES,
  });
}

function revokeCommand(proc: ProcessLike): Command {
  const command = new Command('revoke')
    .argument('<id>', 'id of the key, as `keys list` shows it')
    .action((id: string, settings: Settings) => run({ op: 'revoke', id }, settings, proc));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'end a key',
    description: 'From then on the key is refused with 401. It stays in the list and cannot be brought back.',
    examples: [['tallywire keys revoke 7fGh2kLm', 'end the key with this id']],
    exitCodes: EXIT_CODES,
  });
}

function rotateCommand(proc: ProcessLike): Command {
  const command = new Command('rotate')
    .argument('<id>', 'id of the key, as `keys list` shows it')
    .option('--revoke-old', 'end the old key at once')
    .action((id: string, { revokeOld = false, ...settings }: Settings & { revokeOld?: boolean }) =>
      run({ op: 'rotate', id, revokesOld: revokeOld }, settings, proc),
    );
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'make a new key to replace an old one',
    description:
      'Makes a key with the tier, name and limit of the old one and prints it this once. Both work until the old ' +
      'one is revoked, so that callers can switch.',
    examples: [
      ['tallywire keys rotate 7fGh2kLm', 'a second key like this one'],
      ['tallywire keys rotate 7fGh2kLm --revoke-old', 'when the old one has leaked'],
    ],
    exitCodes: EXIT_CODES,
  });
}

export function keysCommand(proc: ProcessLike): Command {
  const command = new Command('keys');
  for (const each of [createCommand, listCommand, revokeCommand, rotateCommand])
    command.addCommand(each(proc));
  return addManual(command, {
    summary: 'make, list, revoke and rotate API keys',
    description:
      'Works on a data folder whether an engine runs on it or not: a running one is asked over a local socket ' +
      'that only its own user can open. `tallywire keys COMMAND --help` describes a command.',
    examples: [
      ['tallywire keys create --tier PRO --name "a bot"', 'make a key'],
      ['tallywire keys list', 'see all keys, and when each was last used'],
    ],
    exitCodes: EXIT_CODES,
  });
}
