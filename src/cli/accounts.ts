import { Command } from 'commander';
import type { AccountConfig } from '../config/accounts.ts';
import { parseConfig } from '../config/config.ts';
import type { PolicyFlag } from '../contract/account.ts';
import { loadConfig } from './load-config.ts';
import { addManual, type Manual } from './manual.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { textTable } from './table.ts';

type Flags = Readonly<Record<string, unknown>>;

/** Of all settings, which are read from the environment and the file, those that have a flag here. */
const FLAGS = ['accounts', 'accountA', 'accountB', 'world', 'seed', 'json'] as const;

const HEADINGS = ['ID', 'SEGMENT', 'NAME', 'HANDLE', 'LOOKS EVERY', 'POSTS STALE AFTER', 'HAS'];

const PARTS: readonly (readonly [PolicyFlag, string])[] = [
  ['hasVelocity', 'velocity'],
  ['hasSizing', 'sizing'],
  ['hasRebalancing', 'rebalancing'],
  ['isBuyOnly', 'buy-only'],
];

function list(flags: Flags, { env, stdout }: ProcessLike): void {
  const { accounts, json } = loadConfig(parseConfig, { flags, env });
  if (json) {
    for (const account of accounts) stdout.write(`${JSON.stringify({ type: 'account', ...account })}\n`);
  } else {
    stdout.write(textTable([HEADINGS, ...accounts.map(cellsOf)]));
  }
}

function cellsOf(account: AccountConfig): readonly string[] {
  const { id, segment, name, provider, polling, staleAfterMs, policy } = account;
  const { fastestMs, slowestMs } = polling;
  const everyS = [...new Set([fastestMs, slowestMs])].map((ms) => ms / 1_000).join(' to ');
  const free = policy.freeFields.map((field) => `${field} for FREE`);
  const parts = [...PARTS.filter(([key]) => policy[key]).map(([, part]) => part), ...free];
  return [
    id,
    segment,
    name,
    provider.handle ?? '-',
    `${everyS} s`,
    `${staleAfterMs.posts / 1_000} s`,
    parts.join(', ') || '-',
  ];
}

async function check(flags: Flags, { env, stdout }: ProcessLike): Promise<void> {
  const config = loadConfig(parseConfig, { flags, env });
  const { reachUpstream } = await import('../service/upstream.ts');
  await reachUpstream(config);
  const { accounts, world, json } = config;
  const name = world.type === 'remote' ? world.url : world.type;
  if (json) {
    stdout.write(`${JSON.stringify({ type: 'checked', accounts: accounts.length, world: name })}\n`);
  } else {
    stdout.write(`${accounts.length} accounts, nothing wrong with them in the world ${name}\n`);
  }
}

const EXIT_CODES: Manual['exitCodes'] = [
  [0, 'nothing is wrong'],
  [1, 'the world does not answer, or does not have an account'],
  [2, 'bad usage or configuration; every fault is listed with its place'],
];

function listCommand(proc: ProcessLike): Command {
  const command = new Command('list').action((flags: Flags) => list(flags, proc));
  return addManual(addSettings(command, FLAGS), {
    summary: 'list the accounts that are configured',
    description:
      'Shows id, path segment, name, handle (- when the world has it), how often new posts are looked for, when ' +
      'posts are stale, and what of the product each account has. With --json all that is configured.',
    examples: [['tallywire accounts list --config tallywire.json', 'the accounts of a config file']],
    exitCodes: EXIT_CODES,
  });
}

function checkCommand(proc: ProcessLike): Command {
  const command = new Command('check').action((flags: Flags) => check(flags, proc));
  return addManual(addSettings(command, FLAGS), {
    summary: 'check the accounts before a start',
    description:
      'Reads the whole configuration as `start` does and reports every fault with its place; then checks that the ' +
      'world answers and has each account. It touches no data folder.',
    examples: [
      [
        'tallywire accounts check --config tallywire.json',
        'before a restart with an account more, or one less',
      ],
    ],
    exitCodes: EXIT_CODES,
  });
}

export function accountsCommand(proc: ProcessLike): Command {
  const command = new Command('accounts').addCommand(listCommand(proc)).addCommand(checkCommand(proc));
  return addManual(command, {
    summary: 'the accounts that are followed',
    description:
      'Accounts are configured: a number of made-up ones for stand-in worlds, or a list in the config file. A ' +
      'change takes effect at the next start on the same data folder.',
    examples: [['tallywire accounts list', 'the accounts of the demo']],
    exitCodes: EXIT_CODES,
  });
}
