import { MINUTE_MS } from '../../../../streams/internal.ts';
import { createAgenda } from './agenda.ts';
import { createContact } from './contact.ts';
import {
  type Admitted,
  applyAnswer,
  applyRecall,
  emptyHolding,
  type Holding,
  type Later,
  noteSpent,
  takeBack,
  type Verdict,
} from './holding.ts';
import {
  type Answer,
  type EdgeMessage,
  type EngineMessage,
  grantedBy,
  type Recall,
  type Request,
} from './messages.ts';
import { HOLDING_KEPT_MS, VALID_MS } from './rules.ts';

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
const KEPT_MS = HOLDING_KEPT_MS + MINUTE_MS;
const REFUSED: Verdict = { kind: 'refused' };
const UNKNOWN: Verdict = { kind: 'unknown' };

export function createEdgeGrants(deps: EdgeGrantsDeps): EdgeGrants {
  const { edge, send, mostCallers = MOST_CALLERS } = deps;
  const holdings = new Map<string, Holding>();
  /** Requests without an answer, to be repeated. */
  const requesting = createAgenda<Holding>();
  /** Callers with calls that wait until other edges have given back. */
  const toAskAgain = createAgenda<Holding>();
  /** What is not reported with a request before. */
  const toReport = createAgenda<Holding>();
  const toForget = createAgenda<Holding>();
  const contact = createContact(edge, send);
  let closing: 'no' | 'closing' | 'closed' = 'no';
  /** Of all callers, so that no number comes twice when a caller was forgotten. */
  let requests = 0;

  /** Past the maximum addresses share what is held of one caller. */
  function nameOf(caller: string): string {
    const isOver = holdings.size >= mostCallers && caller.startsWith('a:') && !holdings.has(caller);
    return isOver ? OVERFLOW : caller;
  }

  function holdingOf(caller: string, limit: number, now: number): Holding {
    const name = nameOf(caller);
    let holding = holdings.get(name);
    if (holding === undefined) {
      holding = emptyHolding(name, limit, contact.reserveFor(limit, now));
      toForget.add(holding, now + KEPT_MS);
      holdings.set(name, holding);
    }
    holding.limit = limit;
    return holding;
  }

  function admit(holding: Holding, now: number): Verdict {
    if (!toReport.has(holding)) toReport.add(holding, now + VALID_MS);
    return noteSpent(holding, contact.latest(now));
  }

  function spendHeld(holding: Holding, now: number): Verdict | undefined {
    if (holding.held === 0 || contact.latest(now) >= holding.until) return undefined;
    holding.held -= 1;
    return admit(holding, now);
  }

  function spendReserve(holding: Holding, now: number): Verdict {
    if (holding.reserve === 0 || !contact.hasReserves(now)) return UNKNOWN;
    holding.reserve -= 1;
    return admit(holding, now);
  }

  function sendRequest(holding: Holding, request: Request, now: number): void {
    requesting.add(holding, now + REPEAT_MS);
    contact.expect(now);
    send({ ...request, sentAt: now });
  }

  /** Asks or reports, unless a request is under way. */
  function request(holding: Holding, kind: Request['kind'], now: number): void {
    if (holding.request !== undefined) return;
    if (contact.latest(now) >= holding.until) holding.held = 0;
    const { caller, limit, spent, held, reserve } = holding;
    requests += 1;
    const next: Request = { kind, edge, caller, limit, n: requests, sentAt: now, spent, held, reserve };
    holding.request = next;
    holding.spent = [];
    toReport.delete(holding);
    toAskAgain.delete(holding);
    if (!contact.isAlone) sendRequest(holding, next, now);
    else requesting.add(holding, now);
  }

  function letIn(holding: Holding, now: number): void {
    const { waiting } = holding;
    let served = 0;
    for (; served < waiting.length; served++) {
      const verdict = spendHeld(holding, now);
      if (verdict === undefined) break;
      waiting[served]?.(verdict);
    }
    waiting.splice(0, served);
  }

  function decideWaiting(holding: Holding, decide: () => Verdict): void {
    const { waiting } = holding;
    holding.waiting = [];
    for (const later of waiting) later(decide());
  }

  function onAnswer(answer: Answer, now: number): void {
    const holding = holdings.get(answer.caller);
    const asked = holding?.request;
    if (holding === undefined || asked?.n !== answer.n) return;
    holding.request = undefined;
    requesting.delete(holding);
    toForget.add(holding, now + KEPT_MS);
    applyAnswer(holding, asked, answer);
    toReport.delete(holding);
    if (asked.held + grantedBy(answer) + holding.spent.length > 0) {
      toReport.add(holding, now + VALID_MS);
    }
    letIn(holding, now);
    if (answer.kind === 'refused') {
      holding.refusedUntil = now + Math.min(REFUSED_MS, Math.max(0, answer.freeAt - answer.at));
      decideWaiting(holding, () => REFUSED);
    }
    goOn(holding, answer, now);
  }

  /** What follows an answer. */
  function goOn(holding: Holding, answer: Answer, now: number): void {
    const { recall } = holding;
    holding.recall = undefined;
    if (recall !== undefined) applyRecall(holding, recall);
    if (closing !== 'no') giveBack(holding, now);
    else if (holding.waiting.length > 0 && answer.kind === 'recalling') {
      toAskAgain.add(holding, now + ASK_AGAIN_MS);
    } else if (holding.waiting.length > 0) request(holding, 'ask', now);
    else if (recall !== undefined) request(holding, 'report', now);
  }

  function onRecall(recall: Recall, now: number): void {
    const holding = holdingOf(recall.caller, recall.limit, now);
    if (holding.request !== undefined) {
      holding.recall = recall;
      return;
    }
    applyRecall(holding, recall);
    request(holding, 'report', now);
  }

  function goAlone(now: number): void {
    for (const holding of [...requesting.all(), ...toAskAgain.all()]) {
      toAskAgain.delete(holding);
      decideWaiting(holding, () => spendReserve(holding, now));
    }
  }

  function hear(message: EngineMessage, now: number): void {
    const wasAlone = contact.isAlone;
    const where = contact.hear(message, now);
    // What was set aside for the old place was given to others meanwhile.
    if (where === 'new place') for (const holding of holdings.values()) holding.reserve = 0;
    if (wasAlone) repeatRequests(requesting.all(), now);
  }

  function giveBack(holding: Holding, now: number): void {
    holding.held = 0;
    holding.reserve = 0;
    if (toReport.has(holding)) request(holding, 'report', now);
  }

  function leaveWhenSettled(): void {
    if (closing !== 'closing' || contact.isAlone || requesting.size > 0 || toReport.size > 0) return;
    closing = 'closed';
    send({ kind: 'leave', edge });
  }

  function repeatRequests(holdings: readonly Holding[], now: number): void {
    for (const holding of holdings) {
      if (holding.request !== undefined) sendRequest(holding, holding.request, now);
    }
  }

  /** What is under way leads to another answer. */
  function forgetSilent(now: number): void {
    for (const holding of toForget.takeDue(now)) {
      if (holding.request === undefined && !toReport.has(holding)) holdings.delete(holding.caller);
    }
  }

  return {
    get status() {
      if (closing !== 'no') return closing;
      return contact.isAlone ? 'alone' : 'served';
    },
    take({ caller, limit }, now, later) {
      if (closing !== 'no') return UNKNOWN;
      const holding = holdingOf(caller, limit, now);
      const verdict = spendHeld(holding, now);
      if (verdict !== undefined) {
        if (holding.held <= holding.lowMark && holding.lowMark > 0 && !contact.isAlone) {
          request(holding, 'ask', now);
        }
        return verdict;
      }
      if (contact.isAlone) return spendReserve(holding, now);
      if (now < holding.refusedUntil) return REFUSED;
      holding.waiting.push(later);
      if (!toAskAgain.has(holding)) request(holding, 'ask', now);
      return 'waiting';
    },
    refund({ caller, at }, now) {
      const holding = holdings.get(caller);
      if (holding === undefined) return;
      takeBack(holding, at);
      if (!toReport.has(holding)) toReport.add(holding, now + VALID_MS);
    },
    standing({ caller, limit }, now) {
      const holding = holdings.get(nameOf(caller));
      if (holding === undefined) return { remaining: limit, freeInMs: 0 };
      const remaining = holding.held + (contact.isAlone ? holding.reserve : holding.free);
      return { remaining, freeInMs: Math.max(0, holding.freeAt - contact.latest(now)) };
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
        for (const holding of toAskAgain.takeDue(now)) request(holding, 'ask', now);
        for (const holding of toReport.takeDue(now)) request(holding, 'report', now);
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
      for (const holding of holdings.values()) {
        decideWaiting(holding, () => UNKNOWN);
        if (holding.request === undefined) giveBack(holding, now);
      }
      leaveWhenSettled();
    },
  };
}
