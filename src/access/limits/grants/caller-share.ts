import type { Answer, Recall, Request } from './messages.ts';
import { grantedBy } from './messages.ts';

/** A call that was let in, with what is needed to take it back. */
export interface Admitted {
  readonly kind: 'admitted';
  readonly caller: string;
  readonly at: number;
}

/** What came of a call: `unknown` is a refusal without knowing whether the limit is reached, as no engine answers. */
export type Verdict = Admitted | { readonly kind: 'refused' | 'unknown' };

export type Later = (verdict: Verdict) => void;

/** What an edge has of one caller. */
export interface CallerShare {
  readonly caller: string;
  limit: number;
  /** Calls that may be let in until `until`, by the latest that the engine's time can be. */
  held: number;
  until: number;
  /** Calls that may be let in while no engine answers. */
  reserve: number;
  /** Calls let in since the last request, by time. */
  spent: [at: number, calls: number][];
  /** More is asked for when no more than this is left. */
  lowMark: number;
  /** The request without an answer yet. */
  request: Request | undefined;
  /** A recall that came meanwhile. */
  recall: Recall | undefined;
  /** Calls that wait for an answer. */
  waiting: Later[];
  /** By the edge's own clock. */
  refusedUntil: number;
  /** What the last answer said is left for all, and when there is more. */
  free: number;
  freeAt: number;
}

/** Spending is added up by steps of this, as a report of a large limit would be too long. */
const STEP_MS = 100;
/** Further calls are added to the last time, and count from the later one on: a report must not become too long. */
const MOST_TIMES = 10_000;

export function emptyShare(caller: string, limit: number, reserve: number): CallerShare {
  return {
    caller,
    limit,
    held: 0,
    until: 0,
    reserve,
    spent: [],
    lowMark: 0,
    request: undefined,
    recall: undefined,
    waiting: [],
    refusedUntil: Number.NEGATIVE_INFINITY,
    free: limit,
    freeAt: 0,
  };
}

/** Notes a call let in, at a time that is never too early. */
export function noteSpent({ caller, spent }: CallerShare, latest: number): Admitted {
  const at = Math.ceil(latest / STEP_MS) * STEP_MS;
  const last = spent.at(-1);
  if (last === undefined || last[1] <= 0 || (last[0] !== at && spent.length < MOST_TIMES))
    spent.push([at, 1]);
  else {
    last[0] = at;
    last[1] += 1;
  }
  return { kind: 'admitted', caller, at };
}

/** Takes back a call that was counted at `at`. When it is reported already, the next report says so. */
export function takeBack(share: CallerShare, at: number): void {
  const { spent } = share;
  const index = spent.findLastIndex(([spentAt, calls]) => spentAt === at && calls > 0);
  const entry = spent[index];
  if (entry === undefined) {
    const last = spent.at(-1);
    if (last?.[0] === at) last[1] -= 1;
    else spent.push([at, -1]);
    return;
  }
  share.held += 1;
  if (entry[1] > 1) entry[1] -= 1;
  else spent.splice(index, 1);
}

/** Adds what an answer gives to what is left by now. */
export function applyAnswer(share: CallerShare, request: Request, answer: Answer): void {
  const granted = grantedBy(answer);
  const reserve = share.reserve + answer.reserve - request.reserve;
  share.held = Math.max(0, share.held + granted + Math.min(0, reserve));
  share.reserve = Math.max(0, reserve);
  share.until = answer.until;
  share.lowMark = Math.floor(granted / 4);
  share.free = answer.free;
  share.freeAt = answer.freeAt;
}

export function applyRecall(share: CallerShare, { held, reserve }: Recall): void {
  share.held = Math.min(share.held, held);
  share.reserve = Math.min(share.reserve, reserve);
}
