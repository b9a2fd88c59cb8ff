import { Command, Option } from 'commander';
import { FORMATS, type Format } from '../research/export/manifest.ts';
import { TABLE_NAMES, type Table, tableOf } from '../research/export/table.ts';
import type { LogPosition } from '../research/log-position.ts';
import { loadSettings } from './load-config.ts';
import { addManual } from './manual.ts';
import { rangeOptions } from './moment-options.ts';
import { expectRange, noteNothing, noteRange } from './notes.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { createProgress } from './progress.ts';
import { untilStopped } from './stop-signals.ts';
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
async function run(name: string, flags: Flags, command: Command, proc: ProcessLike): Promise<number> {
  const table = toTable(name, command);
  const { from, to, format, output, ...settings } = flags;
  const { data } = loadSettings(SETTINGS_READ, { flags: settings, env: proc.env });
  expectRange(from, to, command);
  const store = await openData(data);
  const progress = createProgress(proc.stderr);
  try {
    return await untilStopped(proc, async (signal) => {
      const isSaid = noteRange(store, from, to, proc);
      const { exportTable } = await import('../research/export/export.ts');
      const { path, rows, bytes, sha256 } = await exportTable(store, {
        ...{ table, format, from, to, path: output, version: packageVersion(), signal },
        onProgress: (seq, { fromSeq, toSeq }) =>
          progress.show(`exported seq ${seq} of ${toSeq - 1}`, (seq + 1 - fromSeq) / (toSeq - fromSeq)),
      }).finally(progress.end);
      if (rows === 0 && !isSaid) noteNothing(store, `row of ${table.name} in this range`, proc);
      proc.stdout.write(`wrote ${path}: ${rows} rows, ${bytes} bytes, sha256 ${sha256}\n`);
    });
  } finally {
    await store.close();
  }
}

export function exportCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const [from, to] = rangeOptions('exported');
  const command = new Command('export')
    .argument('<stream>', `one of ${TABLE_NAMES.join(', ')}`)
    .addOption(from)
    .addOption(to)
    .addOption(new Option('--format <format>', 'format of the file').choices(FORMATS).default('parquet'))
    .option('-o, --output <file>', 'file to write (default: STREAM-FROM-TO.FORMAT in this folder)')
    .action(async (name: string, flags: Flags, self: Command) =>
      exitWith(await run(name, flags, self, proc)),
    );
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'write a stream to a file for analysis',
    description:
      'Writes the outputs of a kept stream, one row each: seq, received_ts (when its cause was received), event_ts ' +
      '(when the event itself happened, where that is known), cause, key, then the fields of the record. Times are ' +
      'UTC ms. Parquet is compressed with snappy and keeps lists as lists; CSV has them as JSON. `observations` is ' +
      'the log itself. FILE.manifest.json is written beside the file, with its SHA-256, schema and range. The same ' +
      'log gives the same bytes. An engine may be running on the folder.',
    examples: [
      ['tallywire export predictions', 'every kept forecast, as Parquet'],
      [
        'tallywire export counters --from 2026-01-31 --to 2026-02-01 --format csv -o counters.csv',
        'a day of counters',
      ],
      ['duckdb -c "SELECT account, count(*) FROM \'posts-*.parquet\' GROUP BY 1"', 'query the file'],
    ],
    exitCodes: [
      [0, 'written'],
      [1, 'the folder holds no readable store, or the file cannot be written; no part of it is left'],
      [2, 'bad usage or configuration'],
      [130, 'stopped by a signal; nothing was written'],
    ],
  });
}
