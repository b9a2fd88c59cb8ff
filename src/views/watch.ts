import type { AccountId, Output } from '../../streams/internal.ts';
import type { Latest } from './latest.ts';
import { accountOf } from './output-account.ts';

/** When a part of the latest values last changed. */
export interface Watch {
  /** Seq of the last change. Together with the epoch it identifies one state of this part. */
  readonly seq: number;
  /** Grows with every change, and with every tick, which changes the ages. */
  readonly revision: number;
  /** Grows with every change, but not with ticks. */
  readonly changes: number;
  /** The time of the last tick, UTC ms; Infinity before the first, while there are no ages. */
  readonly tickAt: number;
}

type Part = { -readonly [Field in keyof Watch]: Watch[Field] } & {
  readonly isMovedBy: (output: Output) => boolean;
};

export interface Watcher {
  /** With an account, only outputs about it are looked at, and all events, which may have been of another account. */
  watch(isMovedBy: (output: Output) => boolean, account?: AccountId): Watch;
  close(): void;
}

/** Follows the latest values, which have to be loaded before. */
export function createWatcher(latest: Latest): Watcher {
  const parts: Part[] = [];
  /** Parts of each account, and under null those that look at all outputs. */
  const byAccount = new Map<AccountId | null, Part[]>([[null, []]]);

  function move(moved: readonly Part[] | undefined, output: Output): void {
    for (const part of moved ?? []) {
      if (!part.isMovedBy(output)) continue;
      part.seq = output.seq;
      part.revision += 1;
      part.changes += 1;
    }
  }

  function tick(at: number): void {
    for (const part of parts) {
      part.tickAt = at;
      part.revision += 1;
    }
  }

  const subscription = latest.change$.subscribe((outputs) => {
    for (const output of outputs) {
      if (output.stream === 'freshness') tick(output.at);
      else if (output.stream === 'events') move(parts, output);
      else {
        move(byAccount.get(null), output);
        const account = accountOf(output, latest);
        if (account !== null) move(byAccount.get(account), output);
      }
    }
  });
  return {
    watch(isMovedBy, account) {
      const tickAt = latest.get('freshness', 'all')?.at ?? Number.POSITIVE_INFINITY;
      const part = { seq: latest.seq, revision: 0, changes: 0, tickAt, isMovedBy };
      parts.push(part);
      const others = byAccount.get(account ?? null) ?? [];
      byAccount.set(account ?? null, others);
      others.push(part);
      return part;
    },
    close: () => subscription.unsubscribe(),
  };
}

/** Returns a value that is computed again only at the first call after a change. */
export function oncePerChange<T>(watch: Watch, make: () => T): () => T {
  let made: { readonly changes: number; readonly value: T } | undefined;
  return () => {
    if (made?.changes !== watch.changes) made = { changes: watch.changes, value: make() };
    return made.value;
  };
}
