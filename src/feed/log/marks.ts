import type { Output } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed.ts';
import type { Latest } from '../../views/latest.ts';
import { movedKeys } from '../../views/record-view.ts';
import { type Topic, tierOf } from '../channels.ts';
import { feedCause } from './causes.ts';

/** A record that may have changed, and why. */
export interface Mark {
  readonly topic: Topic;
  readonly key: string;
  readonly cause: FeedCause;
}

/** Finds the states that an output may have changed. Has to be called with every output, in order. */
export function createMarker(latest: Latest, topics: readonly Topic[]): (output: Output) => readonly Mark[] {
  const states = topics.flatMap((topic) => {
    if (topic.records.type !== 'states') return [];
    const { view } = topic.records;
    const tier = tierOf(topic);
    // What a view finds beyond the causes of outputs is in its PRO fields.
    const extraCauseOf = tier === 'PRO' ? view.createExtraCause?.(latest) : undefined;
    return [{ topic, view, tier, extraCauseOf }];
  });
  return (output) =>
    states.flatMap(({ topic, view, tier, extraCauseOf }) => {
      const keys = movedKeys(view, output, latest, tier);
      if (keys === undefined) return [];
      const extra = extraCauseOf?.(output);
      const causes = [feedCause(output.cause), ...(extra === undefined ? [] : [extra])];
      return keys.flatMap((key) => causes.map((cause) => ({ topic, key, cause })));
    });
}
