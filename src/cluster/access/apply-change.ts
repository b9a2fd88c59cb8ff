import type { Store, WaitlistPlace } from '../../store/store.ts';
import type { AccessChange } from '../entries/access-entry.ts';

/** The parts of a store that hold what is kept of callers. */
export type AccessStore = Pick<
  Store,
  'keys' | 'waitlist' | 'payments' | 'usage' | 'grants' | 'alerts' | 'notes'
>;

/** What a change of a kind leads to. */
export interface ChangeResults {
  readonly keys: undefined;
  readonly claim: WaitlistPlace;
  /** Whether the id was free. */
  readonly reserve: boolean;
  readonly payment: undefined;
  readonly release: undefined;
  /** How many were dropped. */
  readonly prunePayments: number;
  readonly usage: undefined;
  /** How many rows were dropped. */
  readonly pruneUsage: number;
  readonly grants: undefined;
  readonly alerts: undefined;
}

export type ChangeOf<Op extends AccessChange['op']> = Extract<AccessChange, { readonly op: Op }>;

/** The note of the last batch of usage of each edge, as JSON. */
export const USAGE_MARKS_NOTE = 'usageMarks';

/** Makes one change in a store. Resolves once it is on disk. */
export async function applyChange(
  { keys, waitlist, payments, usage, grants, alerts, notes }: AccessStore,
  change: AccessChange,
): Promise<ChangeResults[keyof ChangeResults]> {
  switch (change.op) {
    case 'keys':
      await keys.put(change.keys);
      return undefined;
    case 'claim':
      return waitlist.claim(change.entry, change.at);
    case 'reserve':
      return payments.reserve(change.payment);
    case 'payment':
      await payments.put(change.payment);
      return undefined;
    case 'release':
      await payments.release(change.id);
      return undefined;
    case 'prunePayments':
      return payments.prune(change.beforeAt, change.maxRows);
    case 'usage':
      // Whoever is killed in between makes the whole change again.
      await usage.write(change.pages, change.errors);
      await notes.set(USAGE_MARKS_NOTE, JSON.stringify(change.marks));
      return undefined;
    case 'pruneUsage':
      return usage.prune(change.beforeAt, change.maxRows);
    case 'grants':
      await grants.append(change.events, change.at, change.overAt);
      return undefined;
    case 'alerts':
      await alerts.write(change);
      return undefined;
  }
}

/** Changes of the same subject are made one after another; the stores keep the order of all others themselves. */
function subjectOf(change: AccessChange): string {
  switch (change.op) {
    case 'reserve':
    case 'payment':
      return `payment ${change.payment.id}`;
    case 'release':
      return `payment ${change.id}`;
    case 'usage':
    case 'pruneUsage':
      return 'usage';
    case 'alerts':
      return 'alerts';
    default:
      return '';
  }
}

/**
 * Makes changes in their order, each on its own: `make` resolves once a change is made. Those that have nothing to do with
 * each other share a commit.
 */
export async function inOrder(
  changes: readonly AccessChange[],
  make: (change: AccessChange, index: number) => Promise<void>,
): Promise<void> {
  const last = new Map<string, Promise<void>>();
  for (const [index, change] of changes.entries()) {
    // What is dropped may be any payment.
    if (change.op === 'prunePayments') await Promise.all(last.values());
    const subject = subjectOf(change);
    const before = subject === '' ? undefined : last.get(subject);
    const made = before === undefined ? make(change, index) : before.then(() => make(change, index));
    last.set(subject === '' ? String(index) : subject, made);
    if (change.op === 'prunePayments') await made;
  }
  await Promise.all(last.values());
}
