import type { AccountPath } from '../../views/account-path.ts';
import type { AgeLimits } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import type { Watcher } from '../../views/watch.ts';
import type { TagOf } from '../tags.ts';

export interface StreamDeps {
  readonly latest: Latest;
  readonly watcher: Watcher;
  readonly accounts: readonly AccountPath[];
  /** UTC ms. */
  readonly now: () => number;
  /** Of records of no account: inputs older than this are stale. */
  readonly staleAfterMs: AgeLimits;
  readonly tagOf: TagOf;
}
