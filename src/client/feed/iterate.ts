import type { Observable } from 'rxjs';
import { TallywireError } from '../error.ts';
import type { DataFrame } from '../wire.ts';

export interface IterateOptions {
  /** Frames that may wait for the loop. */
  readonly capacity?: number;
  /**
   * What happens when more would have to wait: `fail` ends the loop with the error `too_slow`; `newest` leaves out
   * frames that later ones of the same key make old, and fails only when there are none.
   */
  readonly overflow?: 'fail' | 'newest';
}

const CAPACITY = 1_000;

/** Frames for a `for await` loop. Followed from the first turn of the loop until it is left. */
export async function* iterate<Frame extends DataFrame>(
  frame$: Observable<Frame>,
  { capacity = CAPACITY, overflow = 'fail' }: IterateOptions = {},
): AsyncGenerator<Frame, void, undefined> {
  let waiting: Frame[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => undefined;
  const subscription = frame$.subscribe({
    next(frame) {
      if (end !== undefined) return;
      waiting.push(frame);
      if (waiting.length > capacity && overflow === 'newest') waiting = withoutOld(waiting);
      if (waiting.length > capacity) {
        waiting.length = capacity;
        const detail = `more than ${capacity} frames waited for the loop`;
        stop({ error: new TallywireError({ status: 0, code: 'too_slow', detail }) });
      }
      wake();
    },
    error: (error: unknown) => stop({ error }),
    complete: () => stop({}),
  });

  function stop(how: { readonly error?: unknown }): void {
    end ??= how;
    wake();
  }

  try {
    for (;;) {
      const frame = waiting.shift();
      if (frame !== undefined) yield frame;
      else if (end === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if ('error' in end) throw end.error;
      else return;
    }
  } finally {
    subscription.unsubscribe();
  }
}

/** Of each key of a topic the newest, and of what came before a snapshot nothing; each says what it stands for. */
function withoutOld<Frame extends DataFrame>(frames: readonly Frame[]): Frame[] {
  const newest = new Set<Frame>();
  const seen = new Set<string>();
  const covered = new Set<string>();
  for (const frame of frames.toReversed()) {
    const topic = `${frame.channel}/${frame.account}`;
    const key = frame.type === 'snapshot' ? topic : `${topic} ${frame.key}`;
    if (covered.has(topic) || seen.has(key)) continue;
    if (frame.type === 'snapshot') covered.add(topic);
    seen.add(key);
    newest.add(frame);
  }
  const placeBefore = new Map<string, number>();
  const kept: Frame[] = [];
  for (const frame of frames) {
    const topic = `${frame.channel}/${frame.account}`;
    if (frame.type === 'snapshot') {
      if (newest.has(frame)) kept.push(frame);
      placeBefore.set(topic, frame.seq);
      continue;
    }
    const prevSeq = placeBefore.get(topic) ?? frame.prev_seq;
    placeBefore.set(topic, prevSeq);
    if (!newest.has(frame)) continue;
    placeBefore.set(topic, frame.seq);
    const merged = frame.seq - prevSeq - 1;
    kept.push(merged > 0 ? { ...frame, prev_seq: prevSeq, merged } : frame);
  }
  return kept;
}
