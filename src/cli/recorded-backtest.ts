import { basename, resolve } from 'node:path';
import type { TextFile } from '../research/backtest/result-files.ts';
import { noteRange } from './notes.ts';
import { openData } from './open-data.ts';
import type { ProcessLike } from './process-like.ts';
import { createProgress } from './progress.ts';
import { packageVersion } from './version.ts';

export interface RecordedFlags {
  readonly data: string;
  readonly from?: number;
  readonly to?: number;
  readonly strategy?: string;
  readonly bankroll: number;
  readonly latency: number;
  readonly rows?: string;
  readonly trades?: string;
  readonly json?: string;
  readonly report?: string;
}

function timeText(at: number | null): string {
  return at === null ? '-' : new Date(at).toISOString();
}

/** Scores and trades on what an engine recorded; `command` is the command line, for the record. */
export async function measureRecorded(
  flags: RecordedFlags,
  command: string,
  proc: ProcessLike,
  signal: AbortSignal,
): Promise<void> {
  const { data, from: fromAt, to: toAt, bankroll: bankrollUsd, latency: latencyMs } = flags;
  const [{ recordedBacktest }, texts, files] = await Promise.all([
    import('../research/recorded/recorded-backtest.ts'),
    import('../research/recorded/recorded-table.ts'),
    import('../research/backtest/result-files.ts'),
  ]);
  const { loadStrategy } = await import('../research/pnl/user-strategy.ts');
  const outputs = [flags.rows, flags.trades, flags.json, flags.report];
  await files.expectWritable(outputs.filter((path) => path !== undefined));
  const strategy = flags.strategy === undefined ? undefined : await loadStrategy(flags.strategy);
  const store = await openData(data);
  const progress = createProgress(proc.stderr);
  try {
    const momentOf = (at: number | undefined) => (at === undefined ? undefined : { by: 'time' as const, at });
    noteRange(store, momentOf(fromAt), momentOf(toAt), proc);
    const result = await recordedBacktest(store, {
      ...{ fromAt, toAt, strategy, bankrollUsd, latencyMs, signal },
      onProgress: (seq, head) => progress.show(`read seq ${seq} of ${head}`, seq / head),
    }).finally(progress.end);
    const { log, samples, scores, trading, fills } = result;
    const verdict = texts.verdictOf(result);
    const { sha256Of } = await import('../research/backtest/provenance.ts');
    const provenance = {
      ...{ command, tallywire_version: packageVersion(), data },
      log: {
        ...{ first_seq: log.firstSeq, last_seq: log.lastSeq, first_ts: log.firstAt, last_ts: log.lastAt },
        sha256: log.sha256,
      },
      files: flags.strategy === undefined ? [] : [await sha256Of(flags.strategy)],
    };
    const written: TextFile[] = [];
    const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (flags.rows !== undefined) written.push({ path: flags.rows, text: lines(samples) });
    if (flags.trades !== undefined) written.push({ path: flags.trades, text: lines(fills) });
    if (flags.json !== undefined) {
      const json = { provenance, verdict, scores, trading };
      written.push({ path: flags.json, text: `${JSON.stringify(json, undefined, 2)}\n` });
    }
    if (flags.report !== undefined) {
      const { recordedPage } = await import('../research/recorded/recorded-page.ts');
      const text = recordedPage(result, `What the records of ${basename(resolve(data))} were worth`, {
        ...{ command, version: packageVersion(), files: provenance.files },
        facts: [
          ['Log', `seq ${log.firstSeq ?? '-'} to ${log.lastSeq ?? '-'}, sha256 ${log.sha256}`],
          ['Received', `${timeText(log.firstAt)} to ${timeText(log.lastAt)}`],
          ['Bankroll and latency', `${bankrollUsd} USD, ${latencyMs} ms`],
        ],
      });
      written.push({ path: flags.report, text });
    }
    await files.writeFiles(written, signal);
    proc.stdout.write(`${texts.recordedText(result)}\n`);
  } finally {
    await store.close();
  }
}
