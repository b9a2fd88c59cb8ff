import { defer, EMPTY, finalize, type Observable, startWith } from 'rxjs';
import type { ChannelRequest, DataChannel, DataFrame, HeartbeatFrame } from '../wire.ts';
import { type Channels, channelsOf, type SignalsOptions } from './channels.ts';
import { type ConversationDeps, createConversation } from './conversation.ts';
import type { FeedEvent, FeedStatus } from './status.ts';
import { createTopic, nameOf, type Topic } from './topic.ts';

export interface FeedDeps extends ConversationDeps {
  /** Path segments of all accounts. */
  readonly accounts: readonly string[];
}

/**
 * Everything over one socket, which is open while somebody follows a channel. A stream goes on over lost
 * connections and restarts of the server: each frame comes once and in order. It fails only when the server
 * refuses it, as a TallywireError.
 */
export interface Feed extends Channels {
  /** Once a second, while data could come. */
  heartbeat(): Observable<HeartbeatFrame>;
  /** How things are, at once and whenever that changes. Follows nothing by itself. */
  readonly status$: Observable<FeedStatus>;
  /** Gaps, new numberings and what the server complains of. */
  readonly event$: Observable<FeedEvent>;
  /** Ends the socket and every stream. What is followed later ends at once. */
  close(): void;
}

interface Shared {
  readonly topic: Topic;
  followers: number;
}

export function createFeed(deps: FeedDeps): Feed {
  const conversation = createConversation(deps);
  const shared = new Map<string, Shared>();
  let followers = 0;
  let isClosed = false;

  /** Opens the socket for the first who comes, and closes it after the last. */
  function counted<T>(follow: () => Observable<T>): Observable<T> {
    return defer(() => {
      if (isClosed) return EMPTY;
      const frame$ = follow();
      followers += 1;
      if (followers === 1) conversation.start();
      return frame$.pipe(
        finalize(() => {
          followers -= 1;
          if (followers === 0) conversation.stop(isClosed ? 'closed' : 'idle');
        }),
      );
    });
  }

  function leave(name: string, left: Shared): void {
    left.followers -= 1;
    if (left.followers > 0) return;
    if (shared.get(name) === left) shared.delete(name);
    conversation.remove(left.topic);
  }

  function follow<C extends DataChannel>(
    channel: C,
    account: string | undefined,
    options: SignalsOptions = {},
  ): Observable<DataFrame<C>> {
    const name = nameOf(channel, account ?? null);
    const request = requestOf(channel, account, options);
    return counted(() => {
      const joined = shared.get(name);
      if (joined !== undefined && !canJoin(joined.topic, request, options)) {
        throw new TypeError(`${name} is followed already, otherwise or from another place; use another feed`);
      }
      const { topic } = joined ?? { topic: createTopic(name, request, options.resume) };
      const entry = joined ?? { topic, followers: 0 };
      entry.followers += 1;
      if (joined === undefined) {
        shared.set(name, entry);
        conversation.add(topic);
      }
      const snapshot = topic.snapshot();
      // Only frames of this channel reach the topic of its name.
      const frame$ = topic.frame$ as Observable<DataFrame> as Observable<DataFrame<C>>;
      const ended$ = frame$.pipe(finalize(() => leave(name, entry)));
      return snapshot === undefined ? ended$ : ended$.pipe(startWith(snapshot as DataFrame<C>));
    });
  }

  return {
    ...channelsOf(follow, deps.accounts),
    heartbeat: () => counted(() => conversation.heartbeat$()),
    status$: conversation.status$,
    event$: conversation.event$,
    close() {
      isClosed = true;
      for (const { topic } of [...shared.values()]) topic.frame$.complete();
      conversation.stop('closed');
    },
  };
}

function canJoin(topic: Topic, request: ChannelRequest, { resume }: SignalsOptions): boolean {
  return topic.suits(request) && resume === undefined && !topic.isPartial;
}

function requestOf(
  channel: DataChannel,
  account: string | undefined,
  { bankroll, includeUnproven }: SignalsOptions,
): ChannelRequest {
  return {
    channel,
    ...(account === undefined ? {} : { account }),
    ...(bankroll === undefined ? {} : { bankroll }),
    ...(includeUnproven === undefined ? {} : { include_unproven: includeUnproven }),
  };
}
