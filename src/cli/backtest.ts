import { basename } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { HOUR_MS } from '../../streams/internal.ts';
import type { TextFile } from '../research/backtest/result-files.ts';
import { addManual } from './manual.ts';
import { toTime } from './moment-options.ts';
import { expectRange } from './notes.ts';
import type { ProcessLike } from './process-like.ts';
import { createProgress } from './progress.ts';
import { untilStopped } from './stop-signals.ts';

interface Flags {
  readonly posts: string;
  readonly windows: string;
  readonly from?: number;
  readonly to?: number;
  readonly every: number;
  readonly prices?: string;
  readonly gaps?: string;
  readonly rows?: string;
  readonly json?: string;
  readonly report?: string;
}

function toPeriod(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(h|d)$/.exec(text) ?? [];
  const ms = Number(amount) * (unit === 'd' ? 24 : 1) * HOUR_MS;
  if (!(ms > 0)) throw new InvalidArgumentError('expected hours or days above 0, such as 12h or 1d');
  return ms;
}

async function measure(flags: Flags, proc: ProcessLike, signal: AbortSignal): Promise<void> {
  // Loaded only when needed, as a help page is not.
  const [{ backtest }, { reportOf }, { tableOf }, files] = await Promise.all([
    import('../research/backtest/backtest.ts'),
    import('../research/backtest/summary.ts'),
    import('../research/backtest/score-table.ts'),
    import('../research/backtest/result-files.ts'),
  ]);
  await files.expectWritable([flags.rows, flags.json, flags.report].filter((path) => path !== undefined));
  const progress = createProgress(proc.stderr);
  const { posts, windows, from, to, every, prices, gaps } = flags;
  const rows = await backtest({
    ...{ posts, windows, prices, gaps, fromAt: from, toAt: to, everyMs: every },
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
    texts.push({ path: flags.report, text: pageOf(report, rows, title) });
  }
  await files.writeFiles(texts, signal);
  proc.stdout.write(
    report === null
      ? `${rows.length} forecasts, none for a window with a known result\n`
      : `${tableOf(report)}\n`,
  );
}

export function backtestCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const command = new Command('backtest')
    .requiredOption('--posts <file>', 'CSV of an account with the column created_ts (UTC ms)')
    .option(
      '--windows <kind>',
      'weekly (Friday noon New York), 2d, 3d, monthly, or a CSV with start_ts,end_ts[,total]',
      'weekly',
    )
    .addOption(new Option('--from <time>', 'only windows that start at or after it').argParser(toTime))
    .addOption(new Option('--to <time>', 'only windows that start before it').argParser(toTime))
    .addOption(
      new Option('--every <period>', 'time between forecasts of a window')
        .argParser(toPeriod)
        .default(12 * HOUR_MS, '12h'),
    )
    .option('--prices <file>', 'CSV of market prices: ts,bucket_lo,bucket_hi,price[,start_ts,end_ts]')
    .option('--gaps <file>', 'CSV with from_ts,to_ts of gaps in the posts (default: silences of 7 days)')
    .option('--rows <file>', 'write every forecast, one JSON object per line')
    .option('--json <file>', 'write the scores, over all and by hours left')
    .option('--report <file>', 'write an HTML page with charts')
    .action(async (flags: Flags, self: Command) => {
      const { from, to } = flags;
      expectRange(
        from === undefined ? from : { by: 'time', at: from },
        to === undefined ? to : { by: 'time', at: to },
        self,
      );
      exitWith(await untilStopped(proc, (signal) => measure(flags, proc, signal)));
    });
  return addManual(command, {
    summary: 'forecast the past and score it',
    description:
      'Forecasts each window of a recorded account from rolling origins, with only what was known at the time; ' +
      'fits are renewed weekly. Prints CRPS, log score of the realised bucket of 20, coverage of p5 to p95 and the ' +
      'error of the median, beside those of the pace of the last seven days. Negative gain is better. All cores are ' +
      'used.',
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
    ],
    exitCodes: [
      [0, 'forecast and scored'],
      [1, 'a file cannot be read or written, or no window lies within the posts'],
      [2, 'bad usage'],
      [130, 'stopped by a signal; no file was written'],
    ],
  });
}
