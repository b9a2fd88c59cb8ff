import type { Command } from 'commander';
import type { LogPosition } from '../research/log-position.ts';
import { isEmptyRange, logRange, outsideLog, rangeText } from '../research/log-range.ts';
import type { Store } from '../store/store.ts';
import type { ProcessLike } from './process-like.ts';

/** Says on stderr what would be silence on stdout. */
export function note({ stderr }: ProcessLike, sentence: string): void {
  stderr.write(`tallywire: ${sentence}\n`);
}

/** Ends the command when its range holds nothing, whatever the log has. */
export function expectRange(
  from: LogPosition | undefined,
  to: LogPosition | undefined,
  command: Command,
): void {
  if (isEmptyRange(from, to))
    command.error('error: nothing lies between --from and --to: the first has to be less');
}

/** Says what of the range lies outside the log; false when nothing does. */
export function noteRange(
  store: Store,
  from: LogPosition | undefined,
  to: LogPosition | undefined,
  proc: ProcessLike,
): boolean {
  const sentence = outsideLog(logRange(store), from, to);
  if (sentence !== undefined) note(proc, sentence);
  return sentence !== undefined;
}

/** Says that there is nothing of `what`, and where the log begins and ends. */
export function noteNothing(store: Store, what: string, proc: ProcessLike): void {
  const range = logRange(store);
  note(proc, range === undefined ? 'nothing was logged yet' : `there is no ${what}; ${rangeText(range)}`);
}
