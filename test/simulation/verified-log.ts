import type { Difference } from '../../src/research/difference.ts';
import { verify } from '../../src/research/verify.ts';
import type { Checkpoint, Store } from '../../src/store/store.ts';
import { GRAPH_VERSION } from '../../streams/internal.ts';

interface VerifiedLog {
  /**
   * The first difference between what is stored and what the log gives, or null. What was verified before is not computed
   * again: this goes on from the last checkpoint that the log was found to give.
   */
  verifyNew(): Promise<Difference | null>;
  /** The same from the beginning of the log on. */
  verifyAll(): Promise<Difference | null>;
}

/** Verifies a store again and again while it grows. */
export function createVerifiedLog(kept: Store): VerifiedLog {
  /** Kept here, as the engine removes most checkpoints after a while. */
  let verified: Checkpoint | undefined;

  async function verifyFrom(store: Store): Promise<Difference | null> {
    // Outputs after the mark may be stored later.
    const newest = kept.checkpoints.newest(GRAPH_VERSION, kept.outputs.upTo);
    const { difference } = await verify(store, { simulations: 0 });
    if (difference === null) verified = newest ?? verified;
    return difference;
  }

  return {
    verifyNew: () => verifyFrom(verified === undefined ? kept : beginningWith(verified, kept)),
    verifyAll: () => verifyFrom(kept),
  };
}

/** The same store as if all of the log up to a checkpoint had been dropped. */
function beginningWith(first: Checkpoint, store: Store): Store {
  const { journal, checkpoints } = store;
  const isLater = ({ seq }: { readonly seq: number }) => seq > first.seq;
  return {
    ...store,
    journal: {
      ...journal,
      get head() {
        return journal.head;
      },
      get tail() {
        return first.seq + 1;
      },
    },
    checkpoints: {
      ...checkpoints,
      list: () => [first, ...checkpoints.list().filter(isLater)],
      newest: (graphVersion, seq) => {
        const found = checkpoints.newest(graphVersion, seq);
        return found !== undefined && isLater(found) ? found : first;
      },
    },
  };
}
