import {
  BehaviorSubject,
  combineLatest,
  defer,
  distinctUntilChanged,
  EMPTY,
  map,
  merge,
  type Observable,
  ReplaySubject,
  switchMap,
  takeUntil,
} from 'rxjs';
import type { ChannelRequest, DataChannel, DataFrame, HeartbeatFrame } from '../wire.ts';
import { type Channels, channelsOf, type SignalsOptions } from './channels.ts';
import { type FeedStatus, isSameStatus, worstOf } from './connection-status.ts';
import type { FeedEvent } from './feed-event.ts';
import { knownAccounts } from './known-accounts.ts';
import type { SessionDeps } from './session.ts';
import { createSharedSocket, type SharedSocket } from './shared-socket.ts';
import { topicName } from './topic.ts';

type FeedDeps = SessionDeps & Parameters<typeof knownAccounts>[0];

/**
 * All channels over one socket, which is open while a channel is followed. A channel that is followed with two
 * requests at the same time, such as with two bankrolls, takes a second socket. Streams survive lost connections and
 * restarts of the server: each frame comes once and in order. A stream fails, with a TallywireError, only when the
 * server refuses it.
 */
export interface Feed extends Channels {
  /** The path segments of the accounts that are followed when none is named, once they are known. */
  readonly accounts$: Observable<readonly string[]>;
  /** One frame a second. While they come, silence of a channel means that nothing changed. */
  heartbeat(): Observable<HeartbeatFrame>;
  /** The present status and every change of it; of several sockets the worst. Opens no socket by itself. */
  readonly status$: Observable<FeedStatus>;
  /** Gaps, new numberings, and errors that the server reports. */
  readonly event$: Observable<FeedEvent>;
  /** Closes the sockets and completes every stream, later ones at once. */
  close(): void;
}

export function createFeed(deps: FeedDeps): Feed {
  const main = createSharedSocket(deps, () => undefined);
  const sockets$ = new BehaviorSubject<readonly SharedSocket[]>([main]);
  const closed$ = new ReplaySubject<void>(1);
  const accounts$ = knownAccounts(deps).pipe(takeUntil(closed$));
  let isClosed = false;

  function addSocket(): SharedSocket {
    const remove = () => sockets$.next(sockets$.value.filter((each) => each !== socket));
    const socket = createSharedSocket(deps, remove);
    sockets$.next([...sockets$.value, socket]);
    return socket;
  }

  function follow<C extends DataChannel>(
    channel: C,
    account: string | undefined,
    options: SignalsOptions = {},
  ): Observable<DataFrame<C>> {
    const name = topicName(channel, account ?? null);
    const request = requestOf(channel, account, options);
    const { resume } = options;
    return defer(() => {
      if (isClosed) return EMPTY;
      const socket = sockets$.value.find((each) => each.canFollow(name, request, resume)) ?? addSocket();
      // A topic receives only frames of its own channel.
      return socket.follow(name, request, resume) as Observable<DataFrame<C>>;
    });
  }

  return {
    ...channelsOf(follow, accounts$),
    accounts$,
    heartbeat: main.heartbeat,
    status$: sockets$.pipe(
      switchMap((sockets) => combineLatest(sockets.map(({ status$ }) => status$))),
      map(worstOf),
      distinctUntilChanged(isSameStatus),
    ),
    event$: sockets$.pipe(switchMap((sockets) => merge(...sockets.map(({ event$ }) => event$)))),
    close() {
      isClosed = true;
      closed$.next();
      for (const socket of sockets$.value) socket.close();
    },
  };
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
