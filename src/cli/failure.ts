import { CommanderError } from 'commander';
import { ConfigError } from '../errors.ts';
import type { Shell } from './shell.ts';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** What the system's codes mean to whoever started us. */
const SYSTEM: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another program',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'permission denied',
  ENOTFOUND: 'no such host',
};

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const meaning = 'code' in error ? SYSTEM[String(error.code)] : undefined;
  if (meaning !== undefined && 'port' in error && 'address' in error) {
    return `cannot listen on ${error.address}:${error.port}: ${meaning}`;
  }
  // One sentence, whatever a message brings along.
  return error.message.split('\n', 1)[0] || error.name;
}

/** Tells what went wrong on stderr, without a stack unless debugging, and gives the exit code. */
export function reportFailure(error: unknown, { stderr, env }: Shell): number {
  // The parser of the command line has said its piece already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    for (const { loc, msg } of error.faults) stderr.write(`tallywire: ${loc.join('.')}: ${msg}\n`);
    return EXIT_USAGE;
  }
  stderr.write(`tallywire: ${describeError(error)}\n`);
  const isDebugging = /^(debug|trace)$/.test(env.TALLYWIRE_LOG_LEVEL ?? '');
  if (isDebugging && error instanceof Error) stderr.write(`${error.stack}\n`);
  return EXIT_FAILED;
}
