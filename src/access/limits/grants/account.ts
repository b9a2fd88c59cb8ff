import { HOUR_MS } from '../../../../streams/internal.ts';
import { addCalls, dropOver, emptyLedgerHour, type LedgerHour, takeCalls } from './ledger-hour.ts';
import { type Answer, grantedBy, type Request } from './messages.ts';
import type { Recalls } from './recalls.ts';
import { VALID_MS } from './rules.ts';

const REMEMBERED_ANEW_MS = HOUR_MS / 2;

/** What an edge has of a caller, as far as the engine can know: the edge has spent some of it, and never more. */
interface EdgeShare {
  readonly n: number;
  readonly held: number;
  /** Where `held` stands in the hour. */
  readonly until: number;
  readonly reserve: number;
  readonly heardAt: number;
  /** Given again when the request is repeated. */
  readonly answer: Answer;
}

/** One caller in the ledger. */
export interface Account {
  readonly hour: LedgerHour;
  readonly shares: Map<string, EdgeShare>;
  readonly recalls: Recalls;
  /** When a request last changed something. */
  answeredAt: number;
}

export function emptyAccount(): Account {
  return { hour: emptyLedgerHour(), shares: new Map(), recalls: new Map(), answeredAt: 0 };
}

/**
 * Puts what the edge spent in the place of what it held. What it goes on holding stands at the end of a validity that
 * begins now.
 */
export function settle({ hour, shares, recalls }: Account, request: Request, now: number): void {
  dropOver(hour, now);
  const known = shares.get(request.edge);
  if (known !== undefined) takeCalls(hour, known.until, known.held);
  for (const [at, calls] of request.spent) {
    // No edge can be ahead by more, and a wrong time must not count for days.
    const spentAt = Math.min(at, now + VALID_MS);
    if (calls >= 0) addCalls(hour, spentAt, calls);
    else takeCalls(hour, spentAt, -calls);
  }
  addCalls(hour, now + VALID_MS, request.held);
  recalls.delete(request.edge);
}

/** Counts what a settled request was answered. */
export function conclude(account: Account, request: Request, answer: Answer, now: number): void {
  const granted = grantedBy(answer);
  addCalls(account.hour, now + VALID_MS, granted);
  account.answeredAt = now;
  account.shares.set(request.edge, {
    n: request.n,
    held: request.held + granted,
    until: now + VALID_MS,
    reserve: reserveAfter(request, answer),
    heardAt: now,
    answer,
  });
}

/** Until the answer is there the edge goes on with the reserve it has, and without what is granted. */
function reserveAfter({ reserve }: Request, answer: Answer): number {
  return Math.max(answer.reserve, reserve - grantedBy(answer));
}

/**
 * Whether a settled request and its answer have to be remembered. The many of a caller who has nothing left and goes on
 * calling do not. What an edge has in reserve is relied on for a time, so now and then it is remembered anew.
 */
export function isNews({ shares }: Account, request: Request, answer: Answer, now: number): boolean {
  const known = shares.get(request.edge);
  return (
    known === undefined ||
    known.held + request.held + grantedBy(answer) + request.spent.length > 0 ||
    known.reserve !== reserveAfter(request, answer) ||
    now - known.heardAt > REMEMBERED_ANEW_MS
  );
}
