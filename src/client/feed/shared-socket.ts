import { defer, EMPTY, finalize, type Observable, startWith } from 'rxjs';
import type { ChannelRequest, Cursor, DataFrame, HeartbeatFrame } from '../wire.ts';
import type { FeedStatus } from './connection-status.ts';
import type { FeedEvent } from './feed-event.ts';
import { createSession, type SessionDeps } from './session.ts';
import { createTopic, type Topic } from './topic.ts';

/** One socket and all its followers. It is open while there is a follower. */
export interface SharedSocket {
  readonly status$: Observable<FeedStatus>;
  readonly event$: Observable<FeedEvent>;
  /** Whether this request can be followed here: a socket carries a topic with one request at a time. */
  canFollow(name: string, request: ChannelRequest, resume: Cursor | undefined): boolean;
  /** To be called only if `canFollow` is true. */
  follow(name: string, request: ChannelRequest, resume: Cursor | undefined): Observable<DataFrame>;
  heartbeat(): Observable<HeartbeatFrame>;
  /** Completes every stream, later ones at once. */
  close(): void;
}

interface SharedTopic {
  readonly topic: Topic;
  followers: number;
}

/** `onIdle` is called when the last follower leaves. */
export function createSharedSocket(deps: SessionDeps, onIdle: () => void): SharedSocket {
  const session = createSession(deps);
  const { replayWithinMs = Number.POSITIVE_INFINITY } = deps;
  const shared = new Map<string, SharedTopic>();
  let followers = 0;
  let isClosed = false;

  /** Opens the socket for the first follower, and closes it after the last. */
  function counted<T>(follow: () => Observable<T>): Observable<T> {
    return defer(() => {
      if (isClosed) return EMPTY;
      const frame$ = follow();
      followers += 1;
      if (followers === 1) session.start();
      return frame$.pipe(
        finalize(() => {
          followers -= 1;
          if (followers > 0) return;
          session.stop(isClosed ? 'closed' : 'idle');
          onIdle();
        }),
      );
    });
  }

  function leave(name: string, entry: SharedTopic): void {
    entry.followers -= 1;
    if (entry.followers > 0) return;
    if (shared.get(name) === entry) shared.delete(name);
    session.remove(entry.topic);
  }

  return {
    status$: session.status$,
    event$: session.event$,
    canFollow(name, request, resume) {
      const topic = shared.get(name)?.topic;
      return topic === undefined || (topic.hasRequest(request) && resume === undefined && !topic.isPartial);
    },
    follow: (name, request, resume) =>
      counted(() => {
        const joined = shared.get(name);
        const entry = joined ?? { topic: createTopic(name, request, resume, replayWithinMs), followers: 0 };
        const { topic } = entry;
        entry.followers += 1;
        if (joined === undefined) {
          shared.set(name, entry);
          session.add(topic);
        }
        const snapshot = topic.snapshot();
        const frame$ = topic.frame$.pipe(finalize(() => leave(name, entry)));
        return snapshot === undefined ? frame$ : frame$.pipe(startWith(snapshot));
      }),
    heartbeat: () => counted(() => session.heartbeat$()),
    close() {
      isClosed = true;
      for (const { topic } of [...shared.values()]) topic.frame$.complete();
      session.stop('closed');
    },
  };
}
