import { Command, Option } from 'commander';
import { madeUpFor } from '../config/made-up-accounts.ts';
import { loadWithAccounts } from './load-config.ts';
import { addManual } from './manual.ts';
import { toTime } from './moment-options.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { listenForStop } from './stop-signals.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly start?: number;
}

const SETTINGS_READ = ['port', 'host', 'seed', 'accounts', 'accountA', 'accountB', 'json'] as const;
/** Of these those that have a flag here. The segments of accounts are part of reading them, and of no other use to a world. */
const FLAGS = ['port', 'host', 'seed', 'accounts', 'json'] as const;

/** Not the engine's own port, so that both run on one machine without a flag. */
const DEFAULTS = { port: 9000 } as const;

async function runWorld({ start, ...flags }: Flags, proc: ProcessLike): Promise<void> {
  const { env, stdout } = proc;
  const { values, accounts: followed } = loadWithAccounts(SETTINGS_READ, { flags, env, defaults: DEFAULTS });
  const { port, host, seed, json } = values;
  const accounts = madeUpFor(followed);
  const stop = listenForStop(proc);
  try {
    const { openWorld } = await import('../world/world.ts');
    const world = await openWorld({
      port,
      host,
      seed,
      accounts,
      ...(start !== undefined && { startAt: start }),
    });
    const { url, addresses } = world;
    if (json) {
      stdout.write(`${JSON.stringify({ type: 'listening', url })}\n`);
      stdout.write(`${JSON.stringify({ type: 'addresses', ...addresses })}\n`);
    } else {
      const lines = Object.entries(addresses).filter(([, address]) => URL.canParse(String(address)));
      stdout.write(`a world of seed ${seed} with ${accounts} accounts is running at ${url}\n`);
      for (const [name, address] of lines) stdout.write(`  ${name.padEnd(12)}  ${address}\n`);
    }
    await stop.requested;
    await world.close();
    if (json) stdout.write(`${JSON.stringify({ type: 'stopped' })}\n`);
  } finally {
    stop.release();
  }
}

export function worldCommand(proc: ProcessLike): Command {
  const command = new Command('world')
    .addOption(
      new Option(
        '--start <time>',
        "the world's time when it starts: ISO 8601 or ms since 1970 (default: now)",
      ).argParser(toTime),
    )
    .action((flags: Flags) => runWorld(flags, proc));
  return addManual(addSettings(command, FLAGS, DEFAULTS), {
    summary: 'run a stand-in for the outside world',
    description:
      'Serves all that the engine reads in the live world, over the same protocols: posts, the settlement oracle, ' +
      'the market and its prices, crypto prices. The same seed and start make the same world. It stores nothing.',
    examples: [
      ['tallywire world --seed 7', 'run a world on port 9000'],
      ['tallywire world --accounts 20', 'the same with 20 accounts'],
      ['tallywire start --world http://127.0.0.1:9000', 'run an engine against it'],
    ],
    exitCodes: [
      [0, 'stopped on request'],
      [1, 'could not start, such as when the port is taken'],
      [2, 'bad usage or configuration'],
    ],
  });
}
