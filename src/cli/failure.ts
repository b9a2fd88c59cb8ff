import { CommanderError } from 'commander';
import { ConfigError, ServiceError } from '../errors.ts';
import type { ProcessLike } from './process-like.ts';
import { inWords, wordsFor } from './system-words.ts';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** By convention: what failed now may succeed when it is tried again. */
const EXIT_TRY_AGAIN = 75;
const TRY_AGAIN: readonly string[] = ['CLUSTER_TERM_OVER', 'CLUSTER_BUS_LOST', 'CLUSTER_DIVERGED'];

const FREE_PORT = '; `--port 0` takes any free one';
/** What can be done at the command line about errors of these codes. */
const REMEDIES: Readonly<Record<string, string>> = {
  START_PORT_TAKEN: FREE_PORT,
  START_PORT_DENIED: FREE_PORT,
  STORE_IN_USE: '; stop that first, or name another folder with `--data`',
};

/** Our codes for what the system says of an address that cannot be listened on. */
const LISTENING_CODES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'START_PORT_TAKEN',
  EACCES: 'START_PORT_DENIED',
};

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  const meaning = wordsFor(code);
  if (meaning !== undefined && 'port' in error && 'address' in error) {
    const listening = LISTENING_CODES[code] ?? 'START_HOST';
    const remedy = REMEDIES[listening] ?? '';
    return `cannot listen on ${error.address}:${error.port}: ${meaning}${remedy} (${listening})`;
  }
  // Only the first line, which is a sentence.
  const sentence = inWords(error.message.split('\n', 1)[0] || error.name);
  const told = `${sentence}${REMEDIES[code] ?? ''}`;
  // Behind the sentence, so that a page lists it and a script knows it.
  return error instanceof ServiceError ? `${told} (${error.code})` : told;
}

/** Prints the failure on stderr, with its stack only when debugging; returns the exit code. */
export function reportFailure(error: unknown, { stderr, env }: ProcessLike): number {
  // The parser of the command line has printed the error already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    for (const { loc, msg } of error.faults) stderr.write(`tallywire: ${loc.join('.')}: ${msg}\n`);
    return EXIT_USAGE;
  }
  stderr.write(`tallywire: ${describeError(error)}\n`);
  const isDebugging = /^(debug|trace)$/.test(env.TALLYWIRE_LOG_LEVEL ?? '');
  if (isDebugging && error instanceof Error) stderr.write(`${error.stack}\n`);
  return exitCodeOf(error);
}

export function exitCodeOf(error: unknown): number {
  const isOver = error instanceof ServiceError && TRY_AGAIN.includes(error.code);
  return isOver ? EXIT_TRY_AGAIN : EXIT_FAILED;
}
