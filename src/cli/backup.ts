import { Command } from 'commander';
import { loadSettings } from './load-config.ts';
import { addManual } from './manual.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly to: string;
}

const SETTINGS_READ = ['data', 'json'] as const;

async function backup({ to, ...flags }: Flags, { env, stdout }: ProcessLike): Promise<void> {
  const { data, json } = loadSettings(SETTINGS_READ, { flags, env });
  const store = await openData(data);
  try {
    await store.backup(to);
    stdout.write(json ? `${JSON.stringify({ type: 'backup', data, to })}\n` : `copied ${data} to ${to}\n`);
  } finally {
    await store.close();
  }
}

export function backupCommand(proc: ProcessLike): Command {
  const command = new Command('backup')
    .requiredOption('--to <folder>', 'target of the copy: a new or empty folder')
    .action((flags: Flags) => backup(flags, proc));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'copy a data folder while the engine runs',
    description:
      'Copies the store as it is at one instant. The copy is a complete data folder: start an engine on it, replay ' +
      'it, or put it under backups/ of the original folder, from which a broken store is restored.',
    examples: [
      [
        'tallywire backup --data .tallywire --to .tallywire/backups/monday',
        'keep a copy beside the original',
      ],
    ],
    exitCodes: [
      [0, 'the copy is whole and on disk'],
      [1, 'there is no store, or the target is not empty or cannot be written'],
      [2, 'bad usage or configuration'],
    ],
  });
}
