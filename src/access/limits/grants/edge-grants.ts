import { MINUTE_MS } from '../../../../streams/internal.ts';
import { createAgenda } from './agenda.ts';
import {
  type Admitted,
  applyAnswer,
  applyRecall,
  type CallerShare,
  emptyShare,
  type Later,
  noteSpent,
  takeBack,
  type Verdict,
} from './caller-share.ts';
import { createContact } from './contact.ts';
import {
  type Answer,
  type EdgeMessage,
  type EngineMessage,
  grantedBy,
  type Recall,
  type Request,
} from './messages.ts';
import { SHARE_KEPT_MS, VALID_MS } from './rules.ts';

/**
 * The edge's side of limits that hold across edges: spends what the engine granted, and asks for more before it runs dry.
 * Synchronous and cheap but for a caller of whom nothing is held: those calls wait for the engine. While no engine answers,
 * a part of each limit that the engine has set aside is let in. Times are of the edge's own monotonic clock, ms.
 */
export interface EdgeGrants {
  /** `later` is called when the call has to wait, and only then. A caller is `k:` and the id of a key, or `a:` and an address. */
  take(
    call: { readonly caller: string; readonly limit: number },
    now: number,
    later: Later,
  ): Verdict | 'waiting';
  /** Takes back a call that was let in. */
  refund(call: Admitted, now: number): void;
  /** What is left for a caller as far as the edge knows, and the ms until there is more. */
  standing(call: { readonly caller: string; readonly limit: number }, now: number): Standing;
  receive(message: EngineMessage, now: number): void;
  /** Does what is due: to be called at `nextTickAt`, or later. */
  tick(now: number): void;
  nextTickAt(): number;
  /** Lets nothing more in, and gives back everything as soon as an engine answers. */
  close(now: number): void;
  readonly status: EdgeStatus;
}

/** An edge is `alone` while no engine answers, and `closed` once the engine knows of all it spent. */
type EdgeStatus = 'served' | 'alone' | 'closing' | 'closed';

interface Standing {
  readonly remaining: number;
  readonly freeInMs: number;
}

interface EdgeGrantsDeps {
  /** Another one for each process, as what a process has spent and not reported is lost with it. */
  readonly edge: string;
  readonly send: (message: EdgeMessage) => void;
  /** Addresses past this many share one hour. */
  readonly mostCallers?: number;
}

const MOST_CALLERS = 200_000;
const OVERFLOW = 'a:others';
const REPEAT_MS = 100;
/** When to ask again while other edges give back. */
const ASK_AGAIN_MS = 20;
/** A refusal holds no longer, as other edges may give back at any time. */
const REFUSED_MS = 1_000;
/** Clocks that run unevenly must not make an edge forget too early. */
const KEPT_MS = SHARE_KEPT_MS + MINUTE_MS;
const REFUSED: Verdict = { kind: 'refused' };
const UNKNOWN: Verdict = { kind: 'unknown' };

export function createEdgeGrants(deps: EdgeGrantsDeps): EdgeGrants {
  const { edge, send, mostCallers = MOST_CALLERS } = deps;
  const shares = new Map<string, CallerShare>();
  /** Requests without an answer, to be repeated. */
  const requesting = createAgenda<CallerShare>();
  /** Callers with calls that wait until other edges have given back. */
  const toAskAgain = createAgenda<CallerShare>();
  /** What is not reported with a request before. */
  const toReport = createAgenda<CallerShare>();
  const toForget = createAgenda<CallerShare>();
  const contact = createContact(edge, send);
  let closing: 'no' | 'closing' | 'closed' = 'no';
  /** Of all callers, so that no number comes twice when a caller was forgotten. */
  let requests = 0;

  /** Past the maximum addresses share what is held of one caller. */
  function nameOf(caller: string): string {
    const isOver = shares.size >= mostCallers && caller.startsWith('a:') && !shares.has(caller);
    return isOver ? OVERFLOW : caller;
  }

  function shareOf(caller: string, limit: number, now: number): CallerShare {
    const name = nameOf(caller);
    let share = shares.get(name);
    if (share === undefined) {
      share = emptyShare(name, limit, contact.reserveFor(limit, now));
      toForget.add(share, now + KEPT_MS);
      shares.set(name, share);
    }
    share.limit = limit;
    return share;
  }

  function admit(share: CallerShare, now: number): Verdict {
    if (!toReport.has(share)) toReport.add(share, now + VALID_MS);
    return noteSpent(share, contact.latest(now));
  }

  function spendHeld(share: CallerShare, now: number): Verdict | undefined {
    if (share.held === 0 || contact.latest(now) >= share.until) return undefined;
    share.held -= 1;
    return admit(share, now);
  }

  function spendReserve(share: CallerShare, now: number): Verdict {
    if (share.reserve === 0 || !contact.hasReserves(now)) return UNKNOWN;
    share.reserve -= 1;
    return admit(share, now);
  }

  function sendRequest(share: CallerShare, request: Request, now: number): void {
    requesting.add(share, now + REPEAT_MS);
    contact.expect(now);
    send({ ...request, sentAt: now });
  }

  /** Asks or reports, unless a request is under way. */
  function request(share: CallerShare, kind: Request['kind'], now: number): void {
    if (share.request !== undefined) return;
    if (contact.latest(now) >= share.until) share.held = 0;
    const { caller, limit, spent, held, reserve } = share;
    requests += 1;
    const next: Request = { kind, edge, caller, limit, n: requests, sentAt: now, spent, held, reserve };
    share.request = next;
    share.spent = [];
    toReport.delete(share);
    toAskAgain.delete(share);
    if (!contact.isAlone) sendRequest(share, next, now);
    else requesting.add(share, now);
  }

  function letIn(share: CallerShare, now: number): void {
    const { waiting } = share;
    let served = 0;
    for (; served < waiting.length; served++) {
      const verdict = spendHeld(share, now);
      if (verdict === undefined) break;
      waiting[served]?.(verdict);
    }
    waiting.splice(0, served);
  }

  function decideWaiting(share: CallerShare, decide: () => Verdict): void {
    const { waiting } = share;
    share.waiting = [];
    for (const later of waiting) later(decide());
  }

  function onAnswer(answer: Answer, now: number): void {
    const share = shares.get(answer.caller);
    const asked = share?.request;
    if (share === undefined || asked?.n !== answer.n) return;
    share.request = undefined;
    requesting.delete(share);
    toForget.add(share, now + KEPT_MS);
    applyAnswer(share, asked, answer);
    toReport.delete(share);
    if (asked.held + grantedBy(answer) + share.spent.length > 0) {
      toReport.add(share, now + VALID_MS);
    }
    letIn(share, now);
    if (answer.kind === 'refused') {
      share.refusedUntil = now + Math.min(REFUSED_MS, Math.max(0, answer.freeAt - answer.at));
      decideWaiting(share, () => REFUSED);
    }
    goOn(share, answer, now);
  }

  /** What follows an answer. */
  function goOn(share: CallerShare, answer: Answer, now: number): void {
    const { recall } = share;
    share.recall = undefined;
    if (recall !== undefined) applyRecall(share, recall);
    if (closing !== 'no') giveBack(share, now);
    else if (share.waiting.length > 0 && answer.kind === 'recalling') {
      toAskAgain.add(share, now + ASK_AGAIN_MS);
    } else if (share.waiting.length > 0) request(share, 'ask', now);
    else if (recall !== undefined) request(share, 'report', now);
  }

  function onRecall(recall: Recall, now: number): void {
    const share = shareOf(recall.caller, recall.limit, now);
    if (share.request !== undefined) {
      share.recall = recall;
      return;
    }
    applyRecall(share, recall);
    request(share, 'report', now);
  }

  function goAlone(now: number): void {
    for (const share of [...requesting.all(), ...toAskAgain.all()]) {
      toAskAgain.delete(share);
      decideWaiting(share, () => spendReserve(share, now));
    }
  }

  function hear(message: EngineMessage, now: number): void {
    const wasAlone = contact.isAlone;
    const where = contact.hear(message, now);
    // What was set aside for the old place was given to others meanwhile.
    if (where === 'new place') for (const share of shares.values()) share.reserve = 0;
    if (wasAlone) repeatRequests(requesting.all(), now);
  }

  function giveBack(share: CallerShare, now: number): void {
    share.held = 0;
    share.reserve = 0;
    if (toReport.has(share)) request(share, 'report', now);
  }

  function leaveWhenSettled(): void {
    if (closing !== 'closing' || contact.isAlone || requesting.size > 0 || toReport.size > 0) return;
    closing = 'closed';
    send({ kind: 'leave', edge });
  }

  function repeatRequests(shares: readonly CallerShare[], now: number): void {
    for (const share of shares) {
      if (share.request !== undefined) sendRequest(share, share.request, now);
    }
  }

  /** What is under way leads to another answer. */
  function forgetSilent(now: number): void {
    for (const share of toForget.takeDue(now)) {
      if (share.request === undefined && !toReport.has(share)) shares.delete(share.caller);
    }
  }

  return {
    get status() {
      if (closing !== 'no') return closing;
      return contact.isAlone ? 'alone' : 'served';
    },
    take({ caller, limit }, now, later) {
      if (closing !== 'no') return UNKNOWN;
      const share = shareOf(caller, limit, now);
      const verdict = spendHeld(share, now);
      if (verdict !== undefined) {
        if (share.held <= share.lowMark && share.lowMark > 0 && !contact.isAlone) {
          request(share, 'ask', now);
        }
        return verdict;
      }
      if (contact.isAlone) return spendReserve(share, now);
      if (now < share.refusedUntil) return REFUSED;
      share.waiting.push(later);
      if (!toAskAgain.has(share)) request(share, 'ask', now);
      return 'waiting';
    },
    refund({ caller, at }, now) {
      const share = shares.get(caller);
      if (share === undefined) return;
      takeBack(share, at);
      if (!toReport.has(share)) toReport.add(share, now + VALID_MS);
    },
    standing({ caller, limit }, now) {
      const share = shares.get(nameOf(caller));
      if (share === undefined) return { remaining: limit, freeInMs: 0 };
      const remaining = share.held + (contact.isAlone ? share.reserve : share.free);
      return { remaining, freeInMs: Math.max(0, share.freeAt - contact.latest(now)) };
    },
    receive(message, now) {
      if (message.edge !== edge || closing === 'closed') return;
      hear(message, now);
      if (message.kind === 'recall') onRecall(message, now);
      else if (message.kind !== 'welcome') onAnswer(message, now);
      if (requesting.size > 0) contact.expect(now);
      leaveWhenSettled();
    },
    tick(now) {
      if (closing === 'closed') return;
      if (contact.tick(now)) goAlone(now);
      if (!contact.isAlone) {
        repeatRequests(requesting.takeDue(now), now);
        for (const share of toAskAgain.takeDue(now)) request(share, 'ask', now);
        for (const share of toReport.takeDue(now)) request(share, 'report', now);
      }
      forgetSilent(now);
      leaveWhenSettled();
    },
    nextTickAt() {
      if (closing === 'closed') return Number.POSITIVE_INFINITY;
      const soonest = Math.min(contact.nextTickAt(), toForget.nextAt());
      if (contact.isAlone) return soonest;
      return Math.min(soonest, requesting.nextAt(), toAskAgain.nextAt(), toReport.nextAt());
    },
    close(now) {
      if (closing !== 'no') return;
      closing = 'closing';
      for (const share of shares.values()) {
        decideWaiting(share, () => UNKNOWN);
        if (share.request === undefined) giveBack(share, now);
      }
      leaveWhenSettled();
    },
  };
}
