import { Command, InvalidArgumentError, Option } from 'commander';
import type { AlertCommand, AlertCommandAnswer } from '../alerts/alert-commands.ts';
import { ALERT_TARGETS } from '../contract/alert-rule.ts';
import { ServiceError } from '../errors.ts';
import { CLUSTER_NOTE, type Store } from '../store/store.ts';
import { engineOrHere } from './engine-or-here.ts';
import { loadSettings } from './load-config.ts';
import { addManual, type Manual } from './manual.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { type Say, writeData } from './write-data.ts';

type Settings = Readonly<Record<string, unknown>>;

const SETTINGS_READ = ['data', 'json'] as const;

const EXIT_CODES: Manual['exitCodes'] = [
  [0, 'done, and stored on disk'],
  [1, 'the rule is refused or unknown, or there is no store or engine'],
  [2, 'bad usage or configuration'],
];

async function execute(folder: string, command: AlertCommand, say: Say): Promise<AlertCommandAnswer> {
  const { parseAlertCommandAnswer } = await import('../alerts/alert-commands.ts');
  return engineOrHere(folder, command, {
    parse: parseAlertCommandAnswer,
    refused: (message) => new ServiceError('ALERTS_REFUSED', message),
    here: () => runHere(folder, command, say),
  });
}

/** Without an engine, rules can be looked at and removed. */
async function runHere(folder: string, command: AlertCommand, say: Say): Promise<AlertCommandAnswer> {
  const { runStoredAlertCommand } = await import('../alerts/alert-commands.ts');
  const act = async (store: Store) => {
    if (command.do === 'add' || command.do === 'remove') refuseCluster(store, folder);
    return runStoredAlertCommand(store.alerts, command);
  };
  if (command.do === 'remove') return writeData(folder, { say }, act);
  const store = await openData(folder);
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

/** What was changed here alone would differ from the other machines. */
function refuseCluster({ notes }: Store, folder: string): void {
  if (notes.get(CLUSTER_NOTE) === undefined) return;
  throw new ServiceError(
    'ALERTS_OF_CLUSTER',
    `${folder} is the folder of an engine of a cluster: start that engine, or ask another one of its shard`,
  );
}

async function run(
  command: AlertCommand,
  settings: Settings,
  { env, stdout, stderr }: ProcessLike,
): Promise<void> {
  const { data, json } = loadSettings(SETTINGS_READ, { flags: settings, env });
  const [{ rules, dead, secret }, { deadTable, rulesTable }] = await Promise.all([
    execute(data, command, (sentence) => stderr.write(`${sentence}\n`)),
    import('./alerts-table.ts'),
  ]);
  if (json) {
    for (const rule of rules)
      stdout.write(`${JSON.stringify({ type: 'rule', ...rule, ...(secret !== null && { secret }) })}\n`);
    for (const alert of dead) stdout.write(`${JSON.stringify({ type: 'dead_alert', ...alert })}\n`);
    return;
  }
  if (command.do === 'dead') stdout.write(deadTable(dead));
  else if (command.do === 'remove') stdout.write(`rule ${command.id} is removed\n`);
  else stdout.write(rulesTable(rules));
  if (secret === null) return;
  stdout.write(`${secret}\n`);
  stderr.write('Deliveries are signed with this secret. It is shown this once: save it now.\n');
}

function toNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number');
  return value;
}

interface AddFlags extends Settings {
  readonly account: string;
  readonly when: string;
  readonly target: string;
  readonly url: string;
  readonly event?: number;
  readonly bucket?: string;
  readonly name?: string;
  readonly rearm?: number;
  readonly once?: boolean;
  readonly cooldown?: number;
  readonly chat?: string;
}

function addCommand(proc: ProcessLike): Command {
  const command = new Command('add')
    .requiredOption('--account <segment>', 'path segment of the account')
    .requiredOption('--when <condition>', 'a figure, one of > >= < <= == != and a number')
    .addOption(
      new Option('--target <type>', 'what the body is made for').choices(ALERT_TARGETS).default('webhook'),
    )
    .requiredOption('--url <address>', 'where alerts are sent')
    .addOption(new Option('--event <id>', 'only this event').argParser(toNumber))
    .option('--bucket <label>', 'only this bucket')
    .option('--name <text>', 'what the rule is called in its messages')
    .addOption(new Option('--rearm <number>', 'where it is armed again').argParser(toNumber))
    .option('--once', 'at most one alert of each event and bucket')
    .addOption(
      new Option(
        '--cooldown <seconds>',
        'least time between two alerts of the same event and bucket',
      ).argParser(toNumber),
    )
    .option('--chat <id>', 'the chat, for telegram')
    .action((flags: AddFlags) => {
      const { account, when, target, url, event, bucket, name, rearm, once, cooldown, chat, ...settings } =
        flags;
      const rule = {
        account,
        when,
        event,
        bucket,
        name,
        rearm,
        once,
        cooldown,
        target: { type: target, url, chat },
      };
      return run({ op: 'alerts', do: 'add', rule }, settings, proc);
    });
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'make a rule',
    description:
      'Makes a rule on the engine that runs on the folder, and prints the secret of a webhook this once. ' +
      'src/alerts/README.md lists the figures.',
    examples: [
      [
        'tallywire alerts add --account account_a --when "settlement_delta >= 2" --url https://bot.example/alerts',
        'when our count is two ahead of the oracle',
      ],
    ],
    exitCodes: EXIT_CODES,
  });
}

function listCommand(proc: ProcessLike): Command {
  const command = new Command('list').action((settings: Settings) =>
    run({ op: 'alerts', do: 'list' }, settings, proc),
  );
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'list all rules, without their secrets',
    description: 'Shows what each rule watches, who made it, where it sends alerts, and what came of it.',
    examples: [['tallywire alerts list', 'all rules of the folder .tallywire']],
    exitCodes: EXIT_CODES,
  });
}

function removeCommand(proc: ProcessLike): Command {
  const command = new Command('remove')
    .argument('<id>', 'id of the rule, as `alerts list` shows it')
    .action((id: string, settings: Settings) => run({ op: 'alerts', do: 'remove', id }, settings, proc));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'end a rule',
    description: 'What it has not delivered yet is dropped. A rule of the config file is removed there.',
    examples: [['tallywire alerts remove k3Jd82Pq', 'end the rule with this id']],
    exitCodes: EXIT_CODES,
  });
}

function deadCommand(proc: ProcessLike): Command {
  const command = new Command('dead').action((settings: Settings) =>
    run({ op: 'alerts', do: 'dead' }, settings, proc),
  );
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'list alerts that could not be delivered',
    description:
      'Shows each alert that is not tried again, how often it was tried, and why the last try failed.',
    examples: [['tallywire alerts dead', 'those of all rules of the folder .tallywire']],
    exitCodes: EXIT_CODES,
  });
}

export function alertsCommand(proc: ProcessLike): Command {
  const command = new Command('alerts');
  for (const each of [addCommand, listCommand, removeCommand, deadCommand]) command.addCommand(each(proc));
  return addManual(command, {
    summary: 'make, list and remove rules of alerts',
    description:
      'Rules send an alert when a figure passes a number. A running engine is asked over a local socket that only its ' +
      'own user can open. `tallywire alerts COMMAND --help` describes a command.',
    examples: [['tallywire alerts list', 'see all rules, and what came of them']],
    exitCodes: EXIT_CODES,
  });
}
