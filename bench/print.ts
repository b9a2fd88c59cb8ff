/** One line per figure, in columns, on stdout. */
export function print(what: string, figure: string, note = ''): void {
  process.stdout.write(`${what.padEnd(72)} ${figure.padStart(12)}   ${note}\n`);
}
