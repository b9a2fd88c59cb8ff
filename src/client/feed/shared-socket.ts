import { defer, EMPTY, finalize, type Observable, startWith } from 'rxjs';
import type { ChannelRequest, Cursor, DataFrame, HeartbeatFrame } from '../wire.ts';
import { type ConversationDeps, createConversation } from './session.ts';
import type { FeedEvent, FeedStatus } from './status.ts';
import { createTopic, type Topic } from './topic.ts';

/** One socket and all who share it. It is open while somebody follows something. */
export interface Line {
  readonly status$: Observable<FeedStatus>;
  readonly event$: Observable<FeedEvent>;
  /** Whether a topic can be followed like this here: there is one way at a time on a socket. */
  takes(name: string, request: ChannelRequest, resume: Cursor | undefined): boolean;
  /** To be called only if it takes it. */
  follow(name: string, request: ChannelRequest, resume: Cursor | undefined): Observable<DataFrame>;
  heartbeat(): Observable<HeartbeatFrame>;
  /** Ends every stream. What is followed later ends at once. */
  close(): void;
}

interface Shared {
  readonly topic: Topic;
  followers: number;
}

/** `left` is told when nobody follows anything any more. */
export function createLine(deps: ConversationDeps, left: () => void): Line {
  const conversation = createConversation(deps);
  const { replayWithinMs = Number.POSITIVE_INFINITY } = deps;
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
          if (followers > 0) return;
          conversation.stop(isClosed ? 'closed' : 'idle');
          left();
        }),
      );
    });
  }

  function leave(name: string, entry: Shared): void {
    entry.followers -= 1;
    if (entry.followers > 0) return;
    if (shared.get(name) === entry) shared.delete(name);
    conversation.remove(entry.topic);
  }

  return {
    status$: conversation.status$,
    event$: conversation.event$,
    takes(name, request, resume) {
      const topic = shared.get(name)?.topic;
      return topic === undefined || (topic.suits(request) && resume === undefined && !topic.isPartial);
    },
    follow: (name, request, resume) =>
      counted(() => {
        const joined = shared.get(name);
        const entry = joined ?? { topic: createTopic(name, request, resume, replayWithinMs), followers: 0 };
        const { topic } = entry;
        entry.followers += 1;
        if (joined === undefined) {
          shared.set(name, entry);
          conversation.add(topic);
        }
        const snapshot = topic.snapshot();
        const ended$ = topic.frame$.pipe(finalize(() => leave(name, entry)));
        return snapshot === undefined ? ended$ : ended$.pipe(startWith(snapshot));
      }),
    heartbeat: () => counted(() => conversation.heartbeat$()),
    close() {
      isClosed = true;
      for (const { topic } of [...shared.values()]) topic.frame$.complete();
      conversation.stop('closed');
    },
  };
}
