import { runProgram } from '../../src/cli/program.ts';
import { memoryProcess } from './memory-process.ts';
import type { Ended } from './run-main.ts';

/** Runs a command line to its end without a process of its own, which takes most of a second to start. */
export async function runInMemory(args: readonly string[]): Promise<Ended> {
  const proc = memoryProcess();
  const code = await runProgram(args, proc);
  return { code, ...proc.texts };
}
