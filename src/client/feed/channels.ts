import { merge, mergeMap, type Observable } from 'rxjs';
import type { Cursor, DataChannel, DataFrame } from '../wire.ts';

export interface FollowOptions {
  /** Continues after this frame instead of starting with a snapshot. */
  readonly resume?: Cursor | undefined;
}

export interface SignalsOptions extends FollowOptions {
  /** Money to size bets for, USD. */
  readonly bankroll?: number | undefined;
  readonly includeUnproven?: boolean | undefined;
}

type AccountChannel<C extends DataChannel> = (
  account?: string,
  options?: FollowOptions,
) => Observable<DataFrame<C>>;
type GlobalChannel<C extends DataChannel> = (options?: FollowOptions) => Observable<DataFrame<C>>;

/** Each channel as frames: a snapshot, then updates. Without an account the frames of all accounts are merged. */
export interface Channels {
  readonly counters: AccountChannel<'counters'>;
  /** Every frame. On the other channels a slow reader gets only the newest frame of each key. */
  readonly tweets: AccountChannel<'tweets'>;
  /** Needs a key of tier PRO. */
  readonly velocity: AccountChannel<'velocity'>;
  readonly prediction: AccountChannel<'prediction'>;
  /** Needs a key of tier PRO. */
  readonly signals: (account?: string, options?: SignalsOptions) => Observable<DataFrame<'signals'>>;
  readonly lag: AccountChannel<'lag'>;
  readonly crypto: GlobalChannel<'crypto'>;
  /** Changes each second, for trying things out. */
  readonly test: GlobalChannel<'test'>;
}

type Follow = <C extends DataChannel>(
  channel: C,
  account: string | undefined,
  options: SignalsOptions | undefined,
) => Observable<DataFrame<C>>;

export function channelsOf(follow: Follow, accounts$: Observable<readonly string[]>): Channels {
  function accountChannel<C extends DataChannel>(channel: C) {
    return (account?: string, options?: SignalsOptions): Observable<DataFrame<C>> => {
      if (account !== undefined) return follow(channel, account, options);
      if (options?.resume)
        throw new TypeError(`a cursor belongs to one account, and ${channel} was called without an account`);
      return accounts$.pipe(
        mergeMap((accounts) => merge(...accounts.map((each) => follow(channel, each, options)))),
      );
    };
  }
  return {
    counters: accountChannel('counters'),
    tweets: accountChannel('tweets'),
    velocity: accountChannel('velocity'),
    prediction: accountChannel('prediction'),
    signals: accountChannel('signals'),
    lag: accountChannel('lag'),
    crypto: (options) => follow('crypto', undefined, options),
    test: (options) => follow('test', undefined, options),
  };
}
