/** One line per row, the cells of a column under each other. What could steer a terminal is replaced. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const plain = rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '\uFFFD')));
  const widths: number[] = [];
  for (const row of plain) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const lines = plain.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
