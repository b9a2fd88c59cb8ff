import { writeFile } from 'node:fs/promises';
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
export async function writeRows(path: string, rows: readonly Row[]): Promise<void> {
  await writeFile(path, rows.map((row) => `${rowLine(row)}\n`).join(''));
}

export async function writeText(path: string, text: string): Promise<void> {
  await writeFile(path, text);
}
