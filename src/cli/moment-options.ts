import { InvalidArgumentError, Option } from 'commander';
import { type Moment, parseMoment, parseTime } from '../research/moment.ts';

export function toTime(text: string): number {
  const at = parseTime(text);
  if (at === undefined) {
    throw new InvalidArgumentError('expected a time such as 2026-01-31T10:00:00Z, or ms since 1970');
  }
  return at;
}

function toMoment(text: string): Moment {
  const moment = parseMoment(text);
  if (moment === undefined) {
    throw new InvalidArgumentError('expected seq:N, a time such as 2026-01-31T10:00:00Z, or ms since 1970');
  }
  return moment;
}

/** `--from` and `--to` of a command that works on a part of the log. */
export function rangeOptions(done: string): readonly [Option, Option] {
  return [
    new Option('--from <moment>', 'first observation: seq:N or a time (default: the oldest)').argParser(
      toMoment,
    ),
    new Option(
      '--to <moment>',
      `first observation not ${done}: seq:N or a time (default: up to now)`,
    ).argParser(toMoment),
  ];
}
