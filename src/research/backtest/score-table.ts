import type { Report, Summary } from './summary.ts';

const HEADINGS = [
  'hours left',
  'n',
  'windows',
  'CRPS',
  'pace',
  'gain',
  'log',
  'pace',
  'in 90 %',
  'median APE',
];

function cells(name: string, summary: Summary): string[] {
  const { n, windows, crps, crps_pace, crps_gain, log_score, log_score_pace, coverage90, median_ape } =
    summary;
  return [
    name,
    String(n),
    String(windows),
    crps.toFixed(2),
    crps_pace.toFixed(2),
    `${(100 * crps_gain).toFixed(1)} %`,
    log_score.toFixed(3),
    log_score_pace.toFixed(3),
    `${(100 * coverage90).toFixed(1)} %`,
    `${(100 * median_ape).toFixed(1)} %`,
  ];
}

const FOOT =
  'Every forecast is back-filled: made now, from what was known at its time, and published to nobody. Rows of\n' +
  'different numbers of windows are not of the same windows.';

/** The scores as text in columns: all forecasts, then by hours left in steps of a day. */
export function tableOf({ overall, by_horizon }: Report): string {
  const daily = Object.entries(by_horizon).filter(([hours]) => Number(hours) % 24 === 0);
  const rows = [HEADINGS, cells('all', overall), ...daily.map(([hours, summary]) => cells(hours, summary))];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
  return [...lines, FOOT].join('\n');
}
