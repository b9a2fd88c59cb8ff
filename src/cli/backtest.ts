import { basename } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { HOUR_MS } from '../../streams/internal.ts';
import type { Origin } from '../research/backtest/page-frame.ts';
import type { TextFile } from '../research/backtest/result-files.ts';
import { addManual } from './manual.ts';
import { toTime } from './moment-options.ts';
import { expectRange } from './notes.ts';
import type { ProcessLike } from './process-like.ts';
import { createProgress } from './progress.ts';
import { measureRecorded, type RecordedFlags } from './recorded-backtest.ts';
import { untilStopped } from './stop-signals.ts';
import { packageVersion } from './version.ts';

interface PostFlags {
  readonly posts: string;
  readonly windows: string;
  readonly from?: number;
  readonly to?: number;
  readonly every: number;
  readonly prices?: string;
  readonly account?: string;
  readonly gaps?: string;
  readonly rows?: string;
  readonly json?: string;
  readonly report?: string;
}

type Flags = (PostFlags | (RecordedFlags & { readonly posts?: undefined })) & { readonly data?: string };

/** Flags that make sense for a data folder alone. */
const OF_DATA = ['strategy', 'bankroll', 'latency', 'trades'] as const;

function toPeriod(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(h|d)$/.exec(text) ?? [];
  const ms = Number(amount) * (unit === 'd' ? 24 : 1) * HOUR_MS;
  if (!(ms > 0)) throw new InvalidArgumentError('expected hours or days above 0, such as 12h or 1d');
  return ms;
}

/** What a page says that it was made from. */
async function originOf({ posts, windows, prices, gaps }: PostFlags, command: string): Promise<Origin> {
  const [{ sha256Of }, { isWindowKind }] = await Promise.all([
    import('../research/backtest/provenance.ts'),
    import('../research/backtest/windows.ts'),
  ]);
  const paths = [posts, isWindowKind(windows) ? undefined : windows, prices, gaps];
  const read = paths.flatMap((path) => (path === undefined ? [] : [sha256Of(path)]));
  return { command, version: packageVersion(), files: await Promise.all(read), facts: [] };
}

async function measure(
  flags: PostFlags,
  command: string,
  proc: ProcessLike,
  signal: AbortSignal,
): Promise<void> {
  // Loaded only when needed, as a help page is not.
  const [{ backtest }, { reportOf }, { tableOf }, files] = await Promise.all([
    import('../research/backtest/backtest.ts'),
    import('../research/backtest/summary.ts'),
    import('../research/backtest/score-table.ts'),
    import('../research/backtest/result-files.ts'),
  ]);
  await files.expectWritable([flags.rows, flags.json, flags.report].filter((path) => path !== undefined));
  const progress = createProgress(proc.stderr);
  const { posts, windows, from, to, every, prices, account, gaps } = flags;
  const rows = await backtest({
    ...{ posts, windows, prices, account, gaps, fromAt: from, toAt: to, everyMs: every },
    onProgress: (done, all) => progress.show(`${done} of ${all} forecasts`, done / all),
    signal,
  }).finally(progress.end);
  const report = reportOf(rows);
  const texts: TextFile[] = [];
  if (flags.rows !== undefined) texts.push({ path: flags.rows, text: files.rowsText(rows) });
  if (flags.json !== undefined)
    texts.push({ path: flags.json, text: `${JSON.stringify(report, undefined, 2)}\n` });
  if (flags.report !== undefined) {
    const { pageOf } = await import('../research/backtest/report-page.ts');
    const title = `Backtest of ${basename(posts)}, windows: ${basename(windows)}`;
    const origin = await originOf(flags, command);
    texts.push({ path: flags.report, text: pageOf(report, rows, title, origin) });
  }
  await files.writeFiles(texts, signal);
  proc.stdout.write(
    report === null
      ? `${rows.length} forecasts, none for a window with a known result\n`
      : `${tableOf(report)}\n`,
  );
}

function toUsd(text: string): number {
  const usd = Number(text);
  if (!(usd > 0 && usd <= 1e9)) throw new InvalidArgumentError('expected an amount above 0, such as 1000');
  return usd;
}

function toLatency(text: string): number {
  const ms = Number(text);
  if (!(Number.isInteger(ms) && ms >= 0 && ms <= HOUR_MS))
    throw new InvalidArgumentError('expected whole ms from 0 to 3600000');
  return ms;
}

/** Resolves to the exit code. */
async function run(flags: Flags, command: Command, given: string, proc: ProcessLike): Promise<number> {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
  const [from, to] = [flags.from, flags.to].map((at) =>
    at === undefined ? undefined : ({ by: 'time', at } as const),
  );
  expectRange(from, to, command);
  if (flags.posts === undefined && flags.data === undefined)
    command.error('error: a backtest needs --posts FILE or --data FOLDER');
  if (flags.posts !== undefined) {
    const lost = OF_DATA.find(isGiven);
    if (lost !== undefined)
      command.error(`error: --${lost} needs --data FOLDER, as posts alone have no market`);
    return untilStopped(proc, (signal) => measure(flags, given, proc, signal));
  }
  return untilStopped(proc, (signal) => measureRecorded(flags, given, proc, signal));
}

export function backtestCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  /** The options as they were typed, for the record of a result. */
  const given: string[] = [];
  const command = new Command('backtest')
    .option('--posts <file>', 'CSV of an account with the column created_ts (ISO, ms or seconds)')
    .addOption(
      new Option('--data <folder>', 'instead of posts: what an engine recorded in its data folder').conflicts(
        ['posts', 'windows', 'every', 'prices', 'account', 'gaps'],
      ),
    )
    .option(
      '--windows <kind>',
      'weekly (Friday noon New York), 2d, 3d, monthly, or a CSV with start_ts,end_ts[,total]',
      'weekly',
    )
    .addOption(
      new Option('--from <time>', 'only windows that start, or records received, at or after it').argParser(
        toTime,
      ),
    )
    .addOption(
      new Option('--to <time>', 'only windows that start, or records received, before it').argParser(toTime),
    )
    .addOption(
      new Option('--every <period>', 'time between forecasts of a window')
        .argParser(toPeriod)
        .default(12 * HOUR_MS, '12h'),
    )
    .option(
      '--prices <file>',
      'CSV of `export prices` or `export minutes`, or with ts,bucket_lo,bucket_hi,price[,start_ts,end_ts]',
    )
    .option('--account <id>', 'whose prices, of a file with those of several accounts')
    .option('--gaps <file>', 'CSV with from_ts,to_ts of gaps in the posts (default: silences of 7 days)')
    .option('--strategy <file>', 'with --data: a module whose default export turns records into orders')
    .addOption(
      new Option('--bankroll <usd>', 'with --data: what every strategy starts with')
        .argParser(toUsd)
        .default(1_000),
    )
    .addOption(
      new Option(
        '--latency <ms>',
        'with --data: from the record that caused an order until it meets the book',
      )
        .argParser(toLatency)
        .default(500),
    )
    .option('--trades <file>', 'with --data: write every fill, one JSON object per line')
    .option('--rows <file>', 'write every forecast, one JSON object per line')
    .option('--json <file>', 'write the scores, over all and by hours left')
    .option('--report <file>', 'write an HTML page with charts')
    .action(async (flags: Flags, self: Command) =>
      exitWith(await run(flags, self, ['tallywire backtest', ...given].join(' '), proc)),
    );
  for (const option of command.options) {
    command.on(`option:${option.name()}`, (value: string) => given.push(`--${option.name()} ${value}`));
  }
  return addManual(command, {
    summary: 'forecast the past and score it',
    description:
      'Forecasts each window of a recorded account from rolling origins, with only what was known at the time; ' +
      'fits are renewed weekly. Prints CRPS, log score of the realised bucket of 20, coverage of p5 to p95 and the ' +
      'error of the median, beside those of the pace of the last seven days. Negative gain is better. All cores are ' +
      'used. With --data it scores the forecasts that an engine published against the market at the same instants, ' +
      'and trades on its records: at the ask within the recorded size, with fees, a latency, a quarter of Kelly and ' +
      'the cap of each account.',
    examples: [
      ['tallywire backtest --posts posts.csv', 'weekly windows, a forecast each 12 h'],
      [
        'tallywire backtest --posts posts.csv --windows 2d --from 2026-01-01 --report report.html',
        'two-day windows of this year, with charts',
      ],
      [
        'tallywire backtest --posts posts.csv --windows events.csv --prices prices.csv --json scores.json',
        'real events, against the market',
      ],
      ['tallywire backtest --data .tallywire', 'what the signals of this engine would have made'],
      ['tallywire backtest --data .tallywire --strategy mine.js --latency 2000', 'a strategy of your own'],
    ],
    exitCodes: [
      [0, 'forecast and scored'],
      [1, 'a file cannot be read or written, no window lies within the posts, or the strategy failed'],
      [2, 'bad usage'],
      [130, 'stopped by a signal; no file was written'],
    ],
  });
}
