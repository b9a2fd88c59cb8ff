import {
  BehaviorSubject,
  combineLatest,
  defer,
  distinctUntilChanged,
  EMPTY,
  map,
  merge,
  type Observable,
  switchMap,
} from 'rxjs';
import type { ChannelRequest, DataChannel, DataFrame, HeartbeatFrame } from '../wire.ts';
import { type Channels, channelsOf, type SignalsOptions } from './channels.ts';
import type { ConversationDeps } from './session.ts';
import { createLine, type Line } from './shared-socket.ts';
import { type FeedEvent, type FeedStatus, sameStatus, worstOf } from './status.ts';
import { nameOf } from './topic.ts';

export interface FeedDeps extends ConversationDeps {
  /** Path segments of all accounts. */
  readonly accounts: readonly string[];
}

/**
 * Everything over one socket, which is open while somebody follows a channel; one more for a channel that is
 * followed in another way at the same time, as with another bankroll. A stream goes on over lost connections and
 * restarts of the server: each frame comes once and in order. It fails only when the server refuses it, as a
 * TallywireError.
 */
export interface Feed extends Channels {
  /** Once a second, while data could come. */
  heartbeat(): Observable<HeartbeatFrame>;
  /** How things are, at once and whenever that changes: of several sockets the worst. Follows nothing by itself. */
  readonly status$: Observable<FeedStatus>;
  /** Gaps, new numberings and what the server complains of. */
  readonly event$: Observable<FeedEvent>;
  /** Ends the sockets and every stream. What is followed later ends at once. */
  close(): void;
}

export function createFeed(deps: FeedDeps): Feed {
  const main = createLine(deps, () => undefined);
  const lines$ = new BehaviorSubject<readonly Line[]>([main]);
  let isClosed = false;

  function addLine(): Line {
    const line = createLine(deps, () => lines$.next(lines$.value.filter((each) => each !== line)));
    lines$.next([...lines$.value, line]);
    return line;
  }

  function follow<C extends DataChannel>(
    channel: C,
    account: string | undefined,
    options: SignalsOptions = {},
  ): Observable<DataFrame<C>> {
    const name = nameOf(channel, account ?? null);
    const request = requestOf(channel, account, options);
    const { resume } = options;
    return defer(() => {
      if (isClosed) return EMPTY;
      const line = lines$.value.find((each) => each.takes(name, request, resume)) ?? addLine();
      // Only frames of this channel reach the topic of its name.
      return line.follow(name, request, resume) as Observable<DataFrame<C>>;
    });
  }

  return {
    ...channelsOf(follow, deps.accounts),
    heartbeat: main.heartbeat,
    status$: lines$.pipe(
      switchMap((lines) => combineLatest(lines.map(({ status$ }) => status$))),
      map(worstOf),
      distinctUntilChanged(sameStatus),
    ),
    event$: lines$.pipe(switchMap((lines) => merge(...lines.map(({ event$ }) => event$)))),
    close() {
      isClosed = true;
      for (const line of lines$.value) line.close();
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
