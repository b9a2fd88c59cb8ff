import type { Output } from '../../../streams/internal.ts';
import type { Tier } from '../../access/tiers.ts';
import type { FeedCause } from '../../contract/feed/names.ts';
import { concernedAccounts } from '../../views/concerned-accounts.ts';
import type { Latest } from '../../views/latest.ts';
import { movedKeys, type RecordView } from '../../views/record-view.ts';
import { type Topic, tierOf } from '../channels.ts';
import { feedCause } from './causes.ts';

/** A record that may have changed, and why. */
export interface Mark {
  readonly topic: Topic;
  readonly key: string;
  readonly cause: FeedCause;
}

interface MarkedTopic {
  readonly topic: Topic;
  readonly view: RecordView;
  readonly tier: Tier;
  readonly extraCauseOf: ((output: Output) => FeedCause | undefined) | undefined;
}

/** Finds the states that an output may have changed. Has to be called with every output, in order. */
export function createMarker(latest: Latest, topics: readonly Topic[]): (output: Output) => readonly Mark[] {
  const states = topics.flatMap((topic): readonly MarkedTopic[] => {
    if (topic.records.type !== 'states') return [];
    const { view } = topic.records;
    const tier = tierOf(topic);
    // What a view finds beyond the causes of outputs is in its PRO fields.
    const extraCauseOf = tier === 'PRO' ? view.createExtraCause?.(latest) : undefined;
    return [{ topic, view, tier, extraCauseOf }];
  });
  const accounts = new Set(states.flatMap(({ topic }) => topic.account?.id ?? []));
  const byAccount = new Map(
    Array.from(accounts, (id) => [id, states.filter(({ topic }) => topic.account?.id === id)]),
  );
  const ofNoAccount = states.filter(({ topic }) => topic.account === null);

  function statesFor(output: Output): readonly MarkedTopic[] {
    const accounts = concernedAccounts(output, latest);
    if (accounts === undefined) return states;
    return [...new Set(accounts)].flatMap((id) => byAccount.get(id) ?? []).concat(ofNoAccount);
  }

  return (output) =>
    statesFor(output).flatMap(({ topic, view, tier, extraCauseOf }) => {
      const keys = movedKeys(view, output, latest, tier);
      if (keys === undefined) return [];
      const extra = extraCauseOf?.(output);
      const causes = [feedCause(output.cause), ...(extra === undefined ? [] : [extra])];
      return keys.flatMap((key) => causes.map((cause) => ({ topic, key, cause })));
    });
}
