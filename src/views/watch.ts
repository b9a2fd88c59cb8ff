import type { AccountId, Output } from '../../streams/internal.ts';
import { concernedAccounts } from './concerned-accounts.ts';
import type { Latest } from './latest.ts';

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
  /** With an account, outputs that concern another account alone are not asked about. */
  watch(isMovedBy: (output: Output) => boolean, account?: AccountId): Watch;
  close(): void;
}

/** Follows the latest values, which have to be loaded before. */
export function createWatcher(latest: Latest): Watcher {
  const parts: Part[] = [];
  const ofNoAccount: Part[] = [];
  const byAccount = new Map<AccountId, Part[]>();

  function moveBy(output: Output, asked: readonly Part[]): void {
    for (const part of asked) {
      if (!part.isMovedBy(output)) continue;
      part.seq = output.seq;
      part.revision += 1;
      part.changes += 1;
    }
  }

  const subscription = latest.change$.subscribe((outputs) => {
    for (const output of outputs) {
      if (output.stream === 'freshness') {
        for (const part of parts) {
          part.tickAt = output.at;
          part.revision += 1;
        }
        continue;
      }
      const accounts = concernedAccounts(output, latest);
      if (accounts === undefined) moveBy(output, parts);
      else {
        for (const account of new Set(accounts)) moveBy(output, byAccount.get(account) ?? []);
        moveBy(output, ofNoAccount);
      }
    }
  });
  return {
    watch(isMovedBy, account) {
      const tickAt = latest.freshness()?.at ?? Number.POSITIVE_INFINITY;
      const part = { seq: latest.seq, revision: 0, changes: 0, tickAt, isMovedBy };
      parts.push(part);
      const own = account === undefined ? ofNoAccount : (byAccount.get(account) ?? []);
      own.push(part);
      if (account !== undefined) byAccount.set(account, own);
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
