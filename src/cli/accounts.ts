import { Command } from 'commander';
import { parseConfig } from '../config/config.ts';
import type { PolicyFlag } from '../contract/account.ts';
import type { ForeseenAccount } from '../service/foreseen-accounts.ts';
import { costText } from './cost-text.ts';
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

async function list(flags: Flags, { env, stdout }: ProcessLike): Promise<void> {
  const config = loadConfig(parseConfig, { flags, env });
  const { accounts, json } = config;
  if (json) {
    for (const account of accounts) stdout.write(`${JSON.stringify({ type: 'account', ...account })}\n`);
  } else {
    const { foreseenAccounts } = await import('../service/foreseen-accounts.ts');
    stdout.write(textTable([HEADINGS, ...foreseenAccounts(config).map(cellsOf)]));
  }
}

function cellsOf({ account, handle, everyMs }: ForeseenAccount): readonly string[] {
  const { id, segment, name, staleAfterMs, policy } = account;
  const everyS = [...new Set(everyMs)].map((ms) => ms / 1_000).join(' to ');
  const free = policy.freeFields.map((field) => `${field} for FREE`);
  const parts = [...PARTS.filter(([key]) => policy[key]).map(([, part]) => part), ...free];
  return [
    id,
    segment,
    name,
    handle ?? '-',
    `${everyS} s`,
    `${staleAfterMs.posts / 1_000} s`,
    parts.join(', ') || '-',
  ];
}

async function check(flags: Flags, { env, stdout }: ProcessLike): Promise<void> {
  const config = loadConfig(parseConfig, { flags, env });
  const [{ reachUpstream }, { followingCost }] = await Promise.all([
    import('../service/upstream.ts'),
    import('../service/following-cost.ts'),
  ]);
  const { billed } = await reachUpstream(config);
  const cost = billed && followingCost(config, billed);
  const { accounts, world, json } = config;
  const name = world.type === 'remote' ? world.url : world.type;
  if (json) {
    const checked = { type: 'checked', accounts: accounts.length, world: name, ...(cost && { cost }) };
    stdout.write(`${JSON.stringify(checked)}\n`);
  } else {
    const asked = world.type === 'live' ? ', which was not asked' : '';
    stdout.write(`${accounts.length} accounts, nothing wrong with them in the world ${name}${asked}\n`);
    if (cost !== null) stdout.write(`\n${costText(cost)}`);
  }
}

const EXIT_CODES: Manual['exitCodes'] = [
  [0, 'nothing is wrong'],
  [1, 'the world does not answer, does not have an account, or two accounts are the same there'],
  [2, 'bad usage or configuration; every fault is listed with its place'],
];

function listCommand(proc: ProcessLike): Command {
  const command = new Command('list').action((flags: Flags) => list(flags, proc));
  return addManual(addSettings(command, FLAGS), {
    summary: 'list the accounts that are configured',
    description:
      'Shows id, path segment, name, handle (- where only the world knows it), how often new posts are looked for, when ' +
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
      'world answers, has each account, and that no two of them are the same. It touches no data folder. The live world is not ' +
      'asked: of that it tells what the accounts take of the posts API at most, and how often the oracle can be asked for so many.',
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
