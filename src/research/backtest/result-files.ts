import { constants } from 'node:fs';
import { access, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors.ts';
import type { Row } from './forecast-job.ts';

/** A row as it is written. */
function rowLine({ originAt, startAt, endAt, count, p5, p50, p95, quantiles, final, scores }: Row): string {
  const scored = scores && {
    crps: scores.crps,
    crps_pace: scores.crpsPace,
    log_score: scores.logScore,
    log_score_pace: scores.logScorePace,
    pit: scores.pit,
  };
  return JSON.stringify({
    origin_ts: originAt,
    start_ts: startAt,
    end_ts: endAt,
    ...{ count, p5, p50, p95, quantiles, final },
    ...scored,
  });
}

/** One JSON object per forecast. */
export function rowsText(rows: readonly Row[]): string {
  return rows.map((row) => `${rowLine(row)}\n`).join('');
}

/** Fails where a file could not be written later, before any work is spent on it. */
export async function expectWritable(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) throw new ServiceError('BACKTEST_FILE', `cannot write ${path}: it is a folder`);
    await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
      throw new ServiceError('BACKTEST_FILE', `cannot write ${path}: no folder to write to`, { cause });
    });
  }
}

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Writes all files or none of them: each is whole before it takes its name. */
export async function writeFiles(files: readonly TextFile[], signal: AbortSignal): Promise<void> {
  const parts = files.map(({ path }) => `${path}.${process.pid}.part`);
  try {
    for (const [index, { text }] of files.entries()) await writeFile(parts[index] ?? '', text, { signal });
    signal.throwIfAborted();
    for (const [index, { path }] of files.entries()) await rename(parts[index] ?? '', path);
  } finally {
    await Promise.all(parts.map((part) => rm(part, { force: true })));
  }
}
