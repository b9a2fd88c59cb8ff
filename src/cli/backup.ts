import { Command } from 'commander';
import { parseSettings } from '../config/config.ts';
import { loadConfig } from './load-config.ts';
import { addManual } from './manual.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { Shell } from './shell.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly to: string;
}

async function backup({ to, ...flags }: Flags, { env, stdout }: Shell): Promise<void> {
  const { data, json } = loadConfig((input) => parseSettings(['data', 'json'], input), { flags, env });
  const store = await openData(data);
  try {
    await store.backup(to);
    stdout.write(json ? `${JSON.stringify({ type: 'backup', data, to })}\n` : `copied ${data} to ${to}\n`);
  } finally {
    await store.close();
  }
}

export function backupCommand(shell: Shell): Command {
  const command = new Command('backup')
    .requiredOption('--to <folder>', 'where the copy goes: a new or empty folder')
    .action((flags: Flags) => backup(flags, shell));
  return addManual(addSettings(command, ['data', 'json']), {
    summary: 'copy a data folder while the engine runs',
    description:
      'Makes a consistent copy of the store as of one instant. The copy is a data folder of its own: start an ' +
      'engine on it, replay it, or put it under backups/ of the original folder, where a broken store finds it.',
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
