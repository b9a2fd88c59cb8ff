import { Command, Option } from 'commander';
import { parseSettings } from '../config/config.ts';
import { FORMATS, type Format } from '../research/export/manifest.ts';
import { TABLE_NAMES, type Table, tableOf } from '../research/export/table.ts';
import type { LogPosition } from '../research/log-position.ts';
import { loadConfig } from './load-config.ts';
import { addManual } from './manual.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import { rangeOptions } from './places.ts';
import { createProgress } from './progress.ts';
import type { Shell } from './shell.ts';
import { untilStopped } from './stopping.ts';
import { packageVersion } from './version.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly from?: LogPosition;
  readonly to?: LogPosition;
  readonly format: Format;
  readonly output?: string;
}

const SETTINGS_READ = ['data'] as const;

function toTable(name: string, command: Command): Table {
  const expected = `expected one of ${TABLE_NAMES.join(', ')}`;
  return tableOf(name) ?? command.error(`error: no stream ${name} is kept in data folders, ${expected}`);
}

/** Resolves to the exit code. */
async function run(name: string, flags: Flags, command: Command, shell: Shell): Promise<number> {
  const table = toTable(name, command);
  const { from, to, format, output, ...settings } = flags;
  const { data } = loadConfig((input) => parseSettings(SETTINGS_READ, input), {
    flags: settings,
    env: shell.env,
  });
  const store = await openData(data);
  const progress = createProgress(shell.stderr);
  try {
    return await untilStopped(shell, async (signal) => {
      const { exportTable } = await import('../research/export/export.ts');
      const { path, rows, bytes, sha256 } = await exportTable(store, {
        ...{ table, format, from, to, path: output, version: packageVersion(), signal },
        onProgress: (seq, { fromSeq, toSeq }) =>
          progress.show(`exported seq ${seq} of ${toSeq - 1}`, (seq + 1 - fromSeq) / (toSeq - fromSeq)),
      }).finally(progress.end);
      shell.stdout.write(`wrote ${path}: ${rows} rows, ${bytes} bytes, sha256 ${sha256}\n`);
    });
  } finally {
    await store.close();
  }
}

export function exportCommand(shell: Shell, exitWith: (code: number) => void): Command {
  const [from, to] = rangeOptions('exported');
  const command = new Command('export')
    .argument('<stream>', `one of ${TABLE_NAMES.join(', ')}`)
    .addOption(from)
    .addOption(to)
    .addOption(new Option('--format <format>', 'what to write').choices(FORMATS).default('parquet'))
    .option('-o, --output <file>', 'where to write (default: STREAM-FROM-TO.FORMAT in this folder)')
    .action(async (name: string, flags: Flags, self: Command) =>
      exitWith(await run(name, flags, self, shell)),
    );
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'write a stream to a file for analysis',
    description:
      'Writes what a kept stream said, one row per output: seq, received_ts (when its cause was received), event_ts ' +
      '(when what it tells of happened, where it has such a time), cause, key, then the fields of the record. Times ' +
      'are UTC ms. Parquet is compressed with snappy and keeps lists as lists; CSV has them as JSON. `observations` ' +
      'is the log itself. Beside the file comes FILE.manifest.json with its SHA-256, schema and range. The same log ' +
      'gives the same bytes. An engine may be running on the folder.',
    examples: [
      ['tallywire export predictions', 'every kept forecast, as Parquet'],
      [
        'tallywire export counters --from 2026-01-31 --to 2026-02-01 --format csv -o counters.csv',
        'a day of counters',
      ],
      ['duckdb -c "SELECT account, count(*) FROM \'posts-*.parquet\' GROUP BY 1"', 'look into it'],
    ],
    exitCodes: [
      [0, 'written'],
      [1, 'the folder holds no readable store, or the file cannot be written; nothing is left of it'],
      [2, 'bad usage or configuration'],
      [130, 'stopped by a signal; nothing was written'],
    ],
  });
}
