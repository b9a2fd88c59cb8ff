import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a module prints in a process of its own, as flags of V8 hold for a whole process. It ends once nothing is waited for. */
export async function printedBy(
  program: string,
  flags: readonly string[] = [],
): Promise<readonly [stdout: string, stderr: string]> {
  const { stdout, stderr } = await run(process.execPath, [
    ...flags,
    '--input-type=module',
    '--eval',
    program,
  ]);
  return [stdout, stderr];
}

/** Of a module: defines a function of its own and runs it so many times. */
export function runningOften(turns: number): string {
  return `
    const sumOfSquares = new Function('n', 'let sum = 0; for (let i = 0; i < n; i++) sum += i * i; return sum;');
    for (let turn = 0; turn < ${turns}; turn++) sumOfSquares(5);
  `;
}

/** With these V8 prints which functions it optimizes. */
export const TELLING_OPTIMIZED = ['--trace-opt', '--no-use-osr'];
