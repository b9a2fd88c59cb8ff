import assert from 'node:assert/strict';
import { startChild } from '../support/child.ts';

/** What a simulation prints that passes. It has a process of its own, as it takes over timers and clocks. */
export async function printedRun(
  program: URL,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<string> {
  const child = startChild(program, args, { flags });
  let output = '';
  child.process.stdout?.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  assert.equal(await child.ended(), 0, output);
  return output;
}

export function digestIn(output: string): string | undefined {
  return /^digest (\w{64})$/m.exec(output)?.[1];
}

/** The figure in the line that begins with the name. */
export function numberIn(output: string, name: string): number {
  return Number(new RegExp(`^${name}.* (\\d+)$`, 'm').exec(output)?.[1]);
}
