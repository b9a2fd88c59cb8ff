import type { Observable } from 'rxjs';
import { TallywireError } from '../error.ts';
import type { DataFrame } from '../wire.ts';
import { topicName } from './topic.ts';

export interface IterateOptions {
  /** How many frames may wait for the loop. */
  readonly capacity?: number;
  /**
   * What happens when more would wait: `fail` ends the loop with the error `too_slow`; `newest` drops frames that a
   * later frame of the same key replaces, and fails only when there are none.
   */
  readonly overflow?: 'fail' | 'newest';
}

const CAPACITY = 1_000;

/** Frames for a `for await` loop. The stream is followed from the first turn of the loop until the loop ends. */
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
      if (waiting.length > capacity && overflow === 'newest') waiting = withoutReplaced(waiting);
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

/**
 * Keeps the newest frame of each key of a topic, and nothing that a snapshot replaces. The kept frames say how many
 * were merged into them.
 */
function withoutReplaced<Frame extends DataFrame>(frames: readonly Frame[]): Frame[] {
  const newest = newestFrames(frames);
  /** Position of the last kept frame by topic; before that, of the frame before the first. */
  const positions = new Map<string, number>();
  const kept: Frame[] = [];
  for (const frame of frames) {
    const topic = topicName(frame.channel, frame.account);
    if (frame.type === 'snapshot') {
      if (newest.has(frame)) kept.push(frame);
      positions.set(topic, frame.seq);
      continue;
    }
    const prevSeq = positions.get(topic) ?? frame.prev_seq;
    positions.set(topic, newest.has(frame) ? frame.seq : prevSeq);
    if (!newest.has(frame)) continue;
    const merged = frame.seq - prevSeq - 1;
    kept.push(merged > 0 ? { ...frame, prev_seq: prevSeq, merged } : frame);
  }
  return kept;
}

function newestFrames<Frame extends DataFrame>(frames: readonly Frame[]): ReadonlySet<Frame> {
  const newest = new Set<Frame>();
  const seen = new Set<string>();
  const snapshots = new Set<string>();
  for (const frame of frames.toReversed()) {
    const topic = topicName(frame.channel, frame.account);
    if (snapshots.has(topic)) continue;
    if (frame.type === 'snapshot') snapshots.add(topic);
    else if (seen.has(`${topic} ${frame.key}`)) continue;
    else seen.add(`${topic} ${frame.key}`);
    newest.add(frame);
  }
  return newest;
}
