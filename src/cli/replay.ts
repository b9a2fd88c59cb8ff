import { Command, InvalidArgumentError, Option } from 'commander';
import { isStreamName, KEPT_STREAMS, STREAM_NAMES, type StreamName } from '../../streams/internal.ts';
import type { LogPosition } from '../research/log-position.ts';
import { EXIT_FAILED } from './failure.ts';
import { loadSettings } from './load-config.ts';
import { addManual } from './manual.ts';
import { rangeOptions } from './moment-options.ts';
import { expectRange, noteNothing, noteRange } from './notes.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { listenForStop } from './stop-signals.ts';
import { writeLines } from './write-lines.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly verify?: true;
  readonly simulate?: number;
  readonly from?: LogPosition;
  readonly to?: LogPosition;
  readonly speed?: number;
  readonly stream?: readonly StreamName[];
}

const SETTINGS_READ = ['data', 'json'] as const;

function toSpeed(text: string): number {
  const speed = text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
  if (!(speed > 0)) throw new InvalidArgumentError('expected a number above 0, or max');
  return speed;
}

function toSimulations(text: string): number {
  const count = text === 'all' ? Number.POSITIVE_INFINITY : Number(text);
  if (!(count >= 0 && Math.floor(count) === count)) {
    throw new InvalidArgumentError('expected a whole number, or all');
  }
  return count;
}

function toStreams(name: string, before: readonly StreamName[] | undefined): readonly StreamName[] {
  if (isStreamName(name)) return [...(before ?? []), name];
  throw new InvalidArgumentError(`there is no stream ${name}, expected one of ${STREAM_NAMES.join(', ')}`);
}

/** Resolves to the exit code. */
async function run(flags: Flags, command: Command, proc: ProcessLike): Promise<number> {
  const { verify, simulate: simulations, from, to, speed, stream, ...settings } = flags;
  const { data, json } = loadSettings(SETTINGS_READ, { flags: settings, env: proc.env });
  expectRange(from, to, command);
  const store = await openData(data);
  try {
    if (verify) {
      const { printVerification } = await import('./verification.ts');
      return (await printVerification(store, { json, simulations }, proc)) ? 0 : EXIT_FAILED;
    }
    const { replay } = await import('../research/replay.ts');
    const stop = listenForStop(proc);
    const { signal } = stop;
    const isSaid = noteRange(store, from, to, proc);
    const streams = stream ?? KEPT_STREAMS;
    const lines = replay(store, {
      streams,
      from,
      to,
      speed: speed ?? Number.POSITIVE_INFINITY,
      signal,
    });
    let hasAny = false;
    const counted = async function* () {
      for await (const batch of lines) {
        hasAny = true;
        yield batch;
      }
    };
    await writeLines(counted(), proc.stdout).finally(stop.release);
    if (!hasAny && !isSaid && !signal.aborted)
      noteNothing(store, `output of ${streams.join(', ')} in this range`, proc);
    return 0;
  } finally {
    await store.close();
  }
}

export function replayCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const [from, to] = rangeOptions('replayed');
  const command = new Command('replay')
    .addOption(
      new Option('--verify', 'compare with the stored outputs instead of printing outputs').conflicts([
        'from',
        'to',
        'speed',
        'stream',
      ]),
    )
    .addOption(
      new Option(
        '--simulate <count>',
        'with --verify: how many logged fits and forecasts are simulated again, or all (default: 100)',
      )
        .argParser(toSimulations)
        .implies({ verify: true })
        .conflicts(['from', 'to', 'speed', 'stream']),
    )
    .addOption(from)
    .addOption(to)
    .addOption(
      new Option(
        '--speed <factor>',
        'seconds of the log per second: 1 is real time (default: max)',
      ).argParser(toSpeed),
    )
    .addOption(
      new Option('--stream <name>', 'only this stream; may be repeated (default: every kept one)').argParser(
        toStreams,
      ),
    )
    .action(async (flags: Flags, self: Command) => exitWith(await run(flags, self, proc)));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'run a log through the streams again',
    description:
      'Recomputes the outputs of the streams from the log of a data folder and prints them as one JSON object per ' +
      'line. With --verify it compares every recomputed output, latest value and checkpoint byte for byte with the ' +
      'stored one, simulates some of the logged forecasts again, and prints count and SHA-256 of each stream, or ' +
      'the first difference. An engine may be running on the folder. Times are UTC, unless they name their zone.',
    examples: [
      ['tallywire replay --data .tallywire --verify', 'prove that everything stored follows from the log'],
      ['tallywire replay --verify --simulate all', 'prove it of every logged forecast too'],
      [
        'tallywire replay --from 2026-01-31T10:00:00Z --to 2026-01-31T11:00:00Z --stream counters',
        'see an hour of counters',
      ],
      ['tallywire replay --from seq:5000 --speed 60 --stream posts', 'watch posts, a minute per second'],
    ],
    exitCodes: [
      [0, 'replayed, or identical'],
      [1, 'different, or the folder holds no readable store'],
      [2, 'bad usage or configuration'],
    ],
  });
}
