import {
  distinctUntilChanged,
  ignoreElements,
  map,
  merge,
  mergeMap,
  NEVER,
  type Observable,
  of,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import { openSocket, type SocketOptions } from '../socket.ts';

interface BookSocketOptions extends SocketOptions {
  readonly url: string;
  readonly pingPeriodMs: number;
}

/**
 * Frames of one connection that follows `token$`, a hot list that is emitted again and again. It
 * connects when the list first has tokens, subscribes and unsubscribes as it changes, and disconnects when it
 * is empty.
 */
export function bookFrames(
  token$: Observable<ReadonlySet<string>>,
  options: BookSocketOptions,
): Observable<string | null> {
  let wanted: ReadonlySet<string> = new Set();
  const connection$ = openSocket(options.url, options).pipe(
    mergeMap((event): Observable<string | null> => {
      if (event.type === 'frame') return of(event.text);
      const { send } = event;
      let sent = wanted;
      send(JSON.stringify({ type: 'market', assets_ids: [...sent], custom_feature_enabled: true }));
      const changes$ = token$.pipe(
        tap((tokens) => {
          // An empty list ends the connection; the provider does not take one.
          if (tokens.size > 0) for (const message of subscriptionChanges(sent, tokens)) send(message);
          sent = tokens;
        }),
      );
      // The provider expects this text, not a ping frame.
      const pings$ = timer(options.pingPeriodMs, options.pingPeriodMs).pipe(tap(() => send('PING')));
      return merge(changes$, pings$).pipe(ignoreElements());
    }),
  );
  return token$.pipe(
    tap((tokens) => {
      wanted = tokens;
    }),
    map((tokens) => tokens.size > 0),
    distinctUntilChanged(),
    switchMap((isNeeded) => (isNeeded ? connection$ : NEVER)),
  );
}

function subscriptionChanges(before: ReadonlySet<string>, after: ReadonlySet<string>): readonly string[] {
  const dropped = [...before].filter((token) => !after.has(token));
  const added = [...after].filter((token) => !before.has(token));
  const messages: object[] = [];
  if (dropped.length > 0) messages.push({ operation: 'unsubscribe', assets_ids: dropped });
  if (added.length > 0) {
    messages.push({ operation: 'subscribe', assets_ids: added, custom_feature_enabled: true });
  }
  return messages.map((message) => JSON.stringify(message));
}
