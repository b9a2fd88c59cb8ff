import type { Following, Place } from './bus.ts';
import { BusError, isUnreachable } from './bus-error.ts';
import type { Time } from './time.ts';
import type { Deliveries, StoredMessage, Stream } from './transport.ts';

/** After this long without a message the stream is asked whether there should have been one. */
const QUIET_MS = 1_000;
/** Between attempts to receive again. */
const RETRY_MS = 100;

interface FollowOptions {
  readonly stream: Stream;
  /** The last place that needs not to be delivered. */
  readonly place: Place;
  /** Whether the stream keeps every message for a while, so that a missing one is a hole. */
  readonly isDense: boolean;
  /** Applies a message, and says which place has been applied up to now. */
  readonly apply: (message: StoredMessage) => Place | Promise<Place>;
  readonly time: Time;
  readonly signal: AbortSignal;
  /** How long a stream may seem shorter than it was before that is believed. */
  readonly tailLostAfterMs: number;
  readonly report: (error: unknown) => void;
}

/**
 * Every message behind a place, in order and once, whatever becomes of the connection. It trusts no delivery: what comes
 * twice is left out, what is missing is asked for again, and silence is checked against the stream.
 */
export function follow(options: FollowOptions): Following {
  const { stream, isDense, apply, time, tailLostAfterMs, report } = options;
  const stopping = new AbortController();
  const stopped = AbortSignal.any([stopping.signal, options.signal]);
  let place = options.place;
  let next = options.place + 1;
  let caughtUpAt: number | undefined;
  let heardAt = time.mono();
  let current: Deliveries | undefined;
  let begunAt = time.mono();
  let isApplying = false;
  let shortSince: number | undefined;
  /** Why it cannot go on. */
  let failure: { readonly error: unknown } | undefined;

  const checkEnds = async (): Promise<'at-end' | 'more'> => {
    const { first, last } = await stream.ends();
    if (isDense && first > next) {
      throw new BusError(
        'BUS_BEHIND_TAIL',
        `the stream begins at place ${first} by now, so what comes at place ${next} is no longer there`,
      );
    }
    // A server that has just become the leader may not know its newest messages yet, so this is only believed when it
    // stays so.
    if (last < next - 1) {
      shortSince ??= time.mono();
      if (time.mono() - shortSince >= tailLostAfterMs) {
        throw new BusError(
          'BUS_TAIL_LOST',
          `the stream ends at place ${last}, although place ${next - 1} was applied`,
        );
      }
      return 'more';
    }
    shortSince = undefined;
    return last === next - 1 ? 'at-end' : 'more';
  };

  /** Ends deliveries that have fallen silent although there is more to deliver, or when there can be no more. */
  const watchSilence = async (ended: AbortSignal): Promise<void> => {
    while (!ended.aborted) {
      await time.pause(QUIET_MS, ended);
      if (ended.aborted || isApplying || time.mono() - heardAt < QUIET_MS) continue;
      const askedAt = time.mono();
      const isNew = askedAt - begunAt < QUIET_MS;
      const before = next;
      try {
        if ((await checkEnds()) === 'at-end') caughtUpAt = askedAt;
        else if (!isNew && next === before && !isApplying) current?.stop();
      } catch (error) {
        if (isUnreachable(error)) continue;
        failure ??= { error };
        current?.stop();
      }
    }
  };

  const receive = async (deliveries: Deliveries): Promise<void> => {
    for await (const { message, pending } of deliveries) {
      if (stopped.aborted) return;
      // Nothing new: a stream that was lost and begun again, whose places are not that far yet, is as good as silent.
      if (message.place < next) continue;
      heardAt = time.mono();
      if (isDense && message.place > next) {
        await checkEnds();
        return;
      }
      isApplying = true;
      try {
        place = await apply(message);
      } catch (error) {
        failure ??= { error };
        return;
      } finally {
        isApplying = false;
      }
      next = message.place + 1;
      heardAt = time.mono();
      if (pending === 0) caughtUpAt = heardAt;
    }
  };

  const run = async (): Promise<void> => {
    const ended = new AbortController();
    const watching = watchSilence(ended.signal);
    const stop = () => current?.stop();
    stopped.addEventListener('abort', stop, { once: true });
    while (!stopped.aborted && failure === undefined) {
      current = stream.deliver(next);
      begunAt = time.mono();
      try {
        await receive(current);
      } catch (error) {
        if (isUnreachable(error)) report(error);
        else failure ??= { error };
      } finally {
        current.stop();
      }
      if (failure === undefined) await time.pause(RETRY_MS, stopped);
    }
    stopped.removeEventListener('abort', stop);
    ended.abort();
    await watching;
    if (failure !== undefined && !stopped.aborted) throw failure.error;
  };

  const ended = run();
  return {
    get place() {
      return place;
    },
    get caughtUpAt() {
      return caughtUpAt;
    },
    ended,
    async stop() {
      stopping.abort();
      await ended.catch(() => undefined);
    },
  };
}
