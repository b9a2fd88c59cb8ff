import { Command } from 'commander';
import { ConfigError } from '../errors.ts';
import { clusterTable } from './cluster-table.ts';
import { loadSettings } from './load-config.ts';
import { addManual, type Manual } from './manual.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';

type Flags = Readonly<Record<string, unknown>>;

const SETTINGS_READ = ['bus', 'json'] as const;

const EXIT_WARNINGS = 3;

/** Resolves to the exit code. */
async function status(flags: Flags, { env, stdout }: ProcessLike): Promise<number> {
  const { bus, json } = loadSettings(SETTINGS_READ, { flags, env });
  if (bus === '') {
    const msg = 'expected the addresses of the NATS servers of the cluster, such as nats://a:4222';
    throw new ConfigError([{ loc: ['--bus'], msg, type: 'value' }]);
  }
  const [{ inspectNats }, { readClusterStatus }] = await Promise.all([
    import('../bus/nats/inspect-nats.ts'),
    import('../cluster/status/read-status.ts'),
  ]);
  const inspection = await inspectNats({ servers: bus, env, name: 'tallywire cluster status' });
  try {
    const found = await readClusterStatus(inspection);
    if (json || stdout.isTTY !== true) stdout.write(`${JSON.stringify({ type: 'cluster', ...found })}\n`);
    else stdout.write(clusterTable(found));
    return found.warnings.length === 0 ? 0 : EXIT_WARNINGS;
  } finally {
    await inspection.close();
  }
}

const EXIT_CODES: Manual['exitCodes'] = [
  [0, 'everything is as it should be'],
  [1, 'the cluster could not be looked at; stderr says why in one sentence, with its code'],
  [2, 'bad usage or configuration'],
  [
    EXIT_WARNINGS,
    'something needs a look: a shard without a leader, a silent or late member, a missing copy',
  ],
];

const ENVIRONMENT: NonNullable<Manual['environment']> = [
  ['TALLYWIRE_BUS_USER, TALLYWIRE_BUS_PASSWORD', 'who asks; the rights of an edge are enough'],
  ['TALLYWIRE_BUS_CREDS, TALLYWIRE_BUS_NKEY, TALLYWIRE_BUS_TOKEN', 'other ways to say so'],
  ['TALLYWIRE_BUS_CA, TALLYWIRE_BUS_CERT, TALLYWIRE_BUS_KEY', 'files of certificates'],
];

function statusCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const command = new Command('status').action(async (flags: Flags) => exitWith(await status(flags, proc)));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'show who leads, who follows and how far, and what the servers keep',
    description:
      'Asks the NATS servers and changes nothing there. On a terminal it prints tables, elsewhere and with --json one ' +
      'JSON object. A member that told nothing of itself for 5 s is shown as silent, for an hour. Whether servers bring ' +
      'every message to their disks is only known where their configuration lets this be asked.',
    environment: ENVIRONMENT,
    examples: [
      ['tallywire cluster status --bus nats://a,nats://b,nats://c', 'is everything in order?'],
      ["tallywire cluster status --bus tls://a --json | jq '.warnings'", 'only what needs a look'],
    ],
    exitCodes: EXIT_CODES,
  });
}

export function clusterCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const command = new Command('cluster').addCommand(statusCommand(proc, exitWith));
  return addManual(command, {
    summary: 'engines and edges that share a bus',
    description: 'Several machines work together over NATS servers, which `tallywire start --bus` names.',
    examples: [['tallywire cluster status --bus nats://a', 'look at a cluster']],
    exitCodes: EXIT_CODES,
  });
}
