import { InvalidArgumentError, Option } from 'commander';
import { type LogPosition, parseLogPosition, parseTime } from '../research/log-position.ts';

export function toTime(text: string): number {
  const at = parseTime(text);
  if (at === undefined) {
    throw new InvalidArgumentError('expected a time such as 2026-01-31T10:00:00Z, or ms since 1970');
  }
  return at;
}

function toLogPosition(text: string): LogPosition {
  const position = parseLogPosition(text);
  if (position === undefined) {
    throw new InvalidArgumentError('expected seq:N, a time such as 2026-01-31T10:00:00Z, or ms since 1970');
  }
  return position;
}

/** `--from` and `--to` of a command that works on a part of the log. */
export function rangeOptions(done: string): readonly [Option, Option] {
  return [
    new Option('--from <moment>', 'first observation: seq:N or a time (default: the oldest)').argParser(
      toLogPosition,
    ),
    new Option(
      '--to <moment>',
      `first observation not ${done}: seq:N or a time (default: up to now)`,
    ).argParser(toLogPosition),
  ];
}
