import type { AccountId, Output } from '../../../streams/internal.ts';
import type { Tier } from '../../access/tiers.ts';
import type { FeedCause } from '../../contract/feed.ts';
import type { Latest } from '../../views/latest.ts';
import { accountOf } from '../../views/output-account.ts';
import { movedKeys } from '../../views/record-view.ts';
import type { Topic } from '../channels.ts';
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
    const tier: Tier = topic.readers === 'FREE' ? 'FREE' : 'PRO';
    // What a view finds beyond the causes of outputs is in its PRO fields.
    const extraCauseOf = tier === 'PRO' ? view.createExtraCause?.(latest) : undefined;
    return [{ topic, view, tier, extraCauseOf }];
  });
  const byAccount = new Map<AccountId | null, typeof states>();
  for (const state of states) {
    const account = state.topic.account?.id ?? null;
    byAccount.set(account, [...(byAccount.get(account) ?? []), state]);
  }
  /** An event may move from one account to another. */
  const accountsOfEvents = new Map(
    Array.from(latest.all('events'), (event) => [event.key, accountOf(event, latest)] as const),
  );

  /** The states of the account that the output is about, and those of no account. */
  function statesAbout(output: Output): typeof states {
    const account = accountOf(output, latest);
    const accounts = new Set([null, account]);
    if (output.stream === 'events') {
      accounts.add(accountsOfEvents.get(output.key) ?? null);
      accountsOfEvents.set(output.key, account);
    }
    return Array.from(accounts, (each) => byAccount.get(each) ?? []).flat();
  }

  return (output) =>
    statesAbout(output).flatMap(({ topic, view, tier, extraCauseOf }) => {
      const keys = movedKeys(view, output, latest, tier);
      if (keys === undefined) return [];
      const extra = extraCauseOf?.(output);
      const causes = [feedCause(output.cause), ...(extra === undefined ? [] : [extra])];
      return keys.flatMap((key) => causes.map((cause) => ({ topic, key, cause })));
    });
}
