import { DAY_MS, type Fact, type OutputOf } from '../../../streams/internal.ts';
import { event, partition, settings, tick } from '../../support/facts.ts';
import { GraphSession } from '../../support/model-answers.ts';

/** An open event in the middle of its window, for tests of the requests to the model. */

export const NOW = 1_000 * DAY_MS;
export const FRESH = { 'posts:a': 0 };
export const listed = event({ startAt: NOW - DAY_MS, endAt: NOW + 6 * DAY_MS, buckets: partition() });
export const covered = (days: number): Fact => ({
  kind: 'coverage',
  account: 'a',
  fromAt: NOW - days * DAY_MS,
});

export const isFit = ({ record }: OutputOf<'requests'>) => record.type === 'fit';

/** A graph that knows the posts of so many days and the open event, after a fresh tick. */
export function started(days: number, ...facts: Fact[]): GraphSession {
  const session = new GraphSession();
  for (const fact of [settings(), listed, covered(days), ...facts, tick(FRESH)]) session.observe(NOW, fact);
  return session;
}
