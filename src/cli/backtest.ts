import { basename } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseTime } from '../research/moment.ts';
import { addManual } from './manual.ts';
import type { Shell } from './shell.ts';
import { listenForStop } from './stopping.ts';

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

const HOUR_MS = 3_600_000;

function toTime(text: string): number {
  const at = parseTime(text);
  if (at === undefined) {
    throw new InvalidArgumentError('expected a time such as 2026-01-31T10:00:00Z, or ms since 1970');
  }
  return at;
}

function toPeriod(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(h|d)$/.exec(text) ?? [];
  const ms = Number(amount) * (unit === 'd' ? 24 : 1) * HOUR_MS;
  if (!(ms > 0)) throw new InvalidArgumentError('expected hours or days above 0, such as 12h or 1d');
  return ms;
}

async function run(flags: Flags, shell: Shell): Promise<void> {
  // Loaded when needed: a help page can do without them.
  const [{ backtest }, { reportOf }, { tableOf }, { createCountdown }, files] = await Promise.all([
    import('../research/backtest/backtest.ts'),
    import('../research/backtest/summary.ts'),
    import('../research/backtest/table.ts'),
    import('../research/backtest/progress.ts'),
    import('../research/backtest/files.ts'),
  ]);
  const countdown = createCountdown(shell.stderr);
  const stopping = listenForStop(shell);
  const { posts, windows, from, to, every, prices, gaps } = flags;
  const rows = await backtest({
    ...{ posts, windows, prices, gaps, fromAt: from, toAt: to, everyMs: every },
    onProgress: countdown.show,
    signal: stopping.signal,
  }).finally(() => {
    countdown.end();
    stopping.release();
  });
  const report = reportOf(rows);
  if (flags.rows !== undefined) await files.writeRows(flags.rows, rows);
  if (flags.json !== undefined)
    await files.writeText(flags.json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (flags.report !== undefined) {
    const { pageOf } = await import('../research/backtest/page.ts');
    await files.writeText(
      flags.report,
      pageOf(report, rows, `Backtest of ${basename(posts)}, windows: ${basename(windows)}`),
    );
  }
  shell.stdout.write(
    report === null
      ? `${rows.length} forecasts, none of a window whose end is known\n`
      : `${tableOf(report)}\n`,
  );
}

export function backtestCommand(shell: Shell): Command {
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
    .option('--gaps <file>', 'CSV with from_ts,to_ts of what was not collected (default: silences of 7 days)')
    .option('--rows <file>', 'write every forecast, one JSON object per line')
    .option('--json <file>', 'write the scores, over all and by hours left')
    .option('--report <file>', 'write a page with pictures, HTML')
    .action((flags: Flags) => run(flags, shell));
  return addManual(command, {
    summary: 'forecast the past and score it',
    description:
      'Goes through the windows of a recorded account and forecasts each from rolling origins with nothing but what ' +
      'was known there; fits are renewed weekly. Prints CRPS, log score of the realised bucket of 20, coverage of ' +
      'p5 to p95 and the error of the median, beside those of the last seven days going on. Negative gain is better. ' +
      'All cores are used.',
    examples: [
      ['tallywire backtest --posts posts.csv', 'weekly windows, a forecast each 12 h'],
      [
        'tallywire backtest --posts posts.csv --windows 2d --from 2026-01-01 --report report.html',
        'two-day windows of this year, with pictures',
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
    ],
  });
}
