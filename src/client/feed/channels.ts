import { merge, type Observable } from 'rxjs';
import type { Cursor, DataChannel, DataFrame } from '../wire.ts';

export interface FollowOptions {
  /** Goes on behind this frame instead of beginning with a snapshot. */
  readonly resume?: Cursor | undefined;
}

export interface SignalsOptions extends FollowOptions {
  /** USD. */
  readonly bankroll?: number | undefined;
  readonly includeUnproven?: boolean | undefined;
}

type OfAccount<C extends DataChannel> = (
  account?: string,
  options?: FollowOptions,
) => Observable<DataFrame<C>>;
type OfAll<C extends DataChannel> = (options?: FollowOptions) => Observable<DataFrame<C>>;

/** Each channel as frames: a snapshot, then updates. Without an account of all of them, merged. */
export interface Channels {
  readonly counters: OfAccount<'counters'>;
  /** Every frame, without exception. Of the others one who is slow gets the newest of each key. */
  readonly tweets: OfAccount<'tweets'>;
  /** PRO. */
  readonly velocity: OfAccount<'velocity'>;
  readonly prediction: OfAccount<'prediction'>;
  /** PRO. */
  readonly signals: (account?: string, options?: SignalsOptions) => Observable<DataFrame<'signals'>>;
  readonly lag: OfAccount<'lag'>;
  readonly crypto: OfAll<'crypto'>;
  /** Moves each second, to try things out with. */
  readonly test: OfAll<'test'>;
}

export type Follow = <C extends DataChannel>(
  channel: C,
  account: string | undefined,
  options: SignalsOptions | undefined,
) => Observable<DataFrame<C>>;

export function channelsOf(follow: Follow, accounts: readonly string[]): Channels {
  function ofAccount<C extends DataChannel>(channel: C) {
    return (account?: string, options?: SignalsOptions): Observable<DataFrame<C>> => {
      if (account !== undefined) return follow(channel, account, options);
      if (options?.resume)
        throw new TypeError(`a cursor is of one account, and no account of ${channel} was named`);
      return merge(...accounts.map((each) => follow(channel, each, options)));
    };
  }
  return {
    counters: ofAccount('counters'),
    tweets: ofAccount('tweets'),
    velocity: ofAccount('velocity'),
    prediction: ofAccount('prediction'),
    signals: ofAccount('signals'),
    lag: ofAccount('lag'),
    crypto: (options) => follow('crypto', undefined, options),
    test: (options) => follow('test', undefined, options),
  };
}
