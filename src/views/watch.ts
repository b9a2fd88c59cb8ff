import type { Output } from '../../streams/internal.ts';
import type { Latest } from './latest.ts';

/** A part of the latest values and when it last moved. */
export interface Watch {
  /** Seq of the last change of this part: together with the epoch it names one state of it. */
  readonly seq: number;
  /** Moves with every change of this part, and with every tick, which changes ages and nothing else. */
  readonly revision: number;
  /** Moves with every change of this part and with nothing else. */
  readonly changes: number;
  /** When the last tick was, in UTC ms; Infinity before the first, while there are no ages. */
  readonly tickAt: number;
}

type Part = { -readonly [Field in keyof Watch]: Watch[Field] } & {
  readonly isMovedBy: (output: Output) => boolean;
};

export interface Watcher {
  watch(isMovedBy: (output: Output) => boolean): Watch;
  close(): void;
}

/** Follows the latest values, which are to be loaded before. Only marks what moved: nothing is built here. */
export function createWatcher(latest: Latest): Watcher {
  const parts: Part[] = [];
  const subscription = latest.change$.subscribe((outputs) => {
    for (const output of outputs) {
      for (const part of parts) {
        if (output.stream === 'freshness') {
          part.tickAt = output.at;
          part.revision += 1;
        } else if (part.isMovedBy(output)) {
          part.seq = output.seq;
          part.revision += 1;
          part.changes += 1;
        }
      }
    }
  });
  return {
    watch(isMovedBy) {
      const tickAt = latest.get('freshness', 'all')?.at ?? Number.POSITIVE_INFINITY;
      const part = { seq: latest.seq, revision: 0, changes: 0, tickAt, isMovedBy };
      parts.push(part);
      return part;
    },
    close: () => subscription.unsubscribe(),
  };
}

/** A value made of what is watched, made again when it is asked for after a change and only then. */
export function oncePerChange<T>(watch: Watch, make: () => T): () => T {
  let made: { readonly changes: number; readonly value: T } | undefined;
  return () => {
    if (made?.changes !== watch.changes) made = { changes: watch.changes, value: make() };
    return made.value;
  };
}
