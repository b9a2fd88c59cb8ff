import { type Account, conclude, emptyAccount, isNews, settle } from './account.ts';
import { freeAt } from './ledger-hour.ts';
import {
  ALL_CALLS,
  type Answer,
  type EdgeMessage,
  type EngineMessage,
  type LedgerEvent,
  type Recall,
  type Request,
} from './messages.ts';
import { createPlaces, type PlaceSettings } from './places.ts';
import { recallStep } from './recalls.ts';
import { LEDGER_KEPT_MS, RELIED_MS, VALID_MS } from './rules.ts';

/** What a message led to. */
interface LedgerOutcome {
  /** To be stored. */
  readonly events: readonly LedgerEvent[];
  /** To be sent, but not before the events of this and of all earlier outcomes are stored. */
  readonly messages: readonly EngineMessage[];
}

/**
 * The engine's side of limits that hold across edges: the hours of all callers, out of which edges are granted small
 * shares. At any time the calls that count, all that edges hold, and all that they have in reserve are together no more
 * than the limit. Times are the engine's, UTC ms, and must not go back, not over restarts either.
 */
export interface Ledger {
  receive(message: EdgeMessage, now: number): LedgerOutcome;
  /** Takes up what an earlier ledger gave as events, in that order. Events older than `LEDGER_KEPT_MS` are not needed. */
  restore(events: Iterable<LedgerEvent>): void;
  /** Callers with calls that count, or of whom an edge holds something. Forgets the others. */
  callers(now: number): number;
}

interface Recalled {
  /** Whether an edge may still give something back. */
  readonly isWaiting: boolean;
  readonly recalls: readonly Recall[];
}

interface Answered {
  readonly answer: Answer;
  readonly recalls: readonly Recall[];
}

/** The largest part of a limit that is granted at once. */
const LARGEST_PART = 20;
const NO_PLACE = { reserveFrom: 0, until: 0 };
const NO_RECALLS: Recalled = { isWaiting: false, recalls: [] };
const NOTHING: LedgerOutcome = { events: [], messages: [] };

export function createLedger(settings: PlaceSettings): Ledger {
  const places = createPlaces(settings);
  // Ordered by the time of the last answer.
  const accounts = new Map<string, Account>();

  function accountOf(caller: string): Account {
    let account = accounts.get(caller);
    if (account === undefined) {
      account = emptyAccount();
      accounts.set(caller, account);
    }
    return account;
  }

  function forget(now: number): void {
    for (const [caller, { answeredAt }] of accounts) {
      if (answeredAt > now - LEDGER_KEPT_MS) break;
      accounts.delete(caller);
    }
    for (const edge of places.edges()) if (!places.counts(edge, now)) leave(edge);
  }

  function enrol(edge: string, sentAt: number, now: number): LedgerOutcome {
    forget(now);
    const place = places.offer(edge, accounts.size === 0, now);
    const { parts } = places;
    const welcome = { kind: 'welcome', edge, sentAt, at: now, parts, ...NO_PLACE, ...place } as const;
    if (place === undefined || place === places.get(edge)) return { events: [], messages: [welcome] };
    places.take(edge, place);
    return { events: [{ kind: 'enrolled', at: now, edge, ...place }], messages: [welcome] };
  }

  function leave(edge: string): void {
    places.leave(edge);
    for (const { shares, recalls } of accounts.values()) {
      shares.delete(edge);
      recalls.delete(edge);
    }
  }

  /** The most that an edge may still let in without asking. */
  function reserveOf({ shares }: Account, edge: string, limit: number, now: number): number {
    const share = shares.get(edge);
    const isRelied = share !== undefined && share.heardAt > now - RELIED_MS && places.counts(edge, now);
    return isRelied ? share.reserve : places.unknownReserve(edge, limit, now);
  }

  function reservedByOthers(account: Account, { edge, limit }: Request, now: number): number {
    let sum = 0;
    for (const other of places.edges()) if (other !== edge) sum += reserveOf(account, other, limit, now);
    return sum;
  }

  /** What may be granted at once: so little that the other edges find something too. */
  function grantOf(free: number, limit: number, now: number): number {
    const edges = places.alive(now);
    const most = Math.min(free / (2 * Math.max(1, edges)), limit / LARGEST_PART);
    return Math.max(1, Math.floor(most));
  }

  function answerTo(account: Account, request: Request, now: number): Answered {
    const { edge, caller, limit, n, sentAt } = request;
    const reserved = reservedByOthers(account, request, now);
    const free = limit - account.hour.used;
    const most = request.kind === 'ask' ? grantOf(free, limit, now) : 0;
    const count = Math.max(0, Math.min(most, free - reserved));
    const left = free - reserved - count;
    const target = Math.max(0, Math.floor((free - count) / places.parts));
    const reserve = places.counts(edge, now) ? Math.max(0, Math.min(target, left)) : 0;
    const base = {
      edge,
      caller,
      n,
      sentAt,
      at: now,
      until: now + VALID_MS,
      reserve,
      free: Math.max(0, free - count),
      freeAt: freeAt(account.hour, limit - reserved, now),
    };
    if (request.kind === 'report') return { answer: { kind: 'noted', ...base }, recalls: [] };
    const isShort = left - reserve < grantOf(free - count, limit, now);
    const { isWaiting, recalls } = isShort
      ? recallFrom(account, request, { reserve: target, isLast: count === 0 }, now)
      : NO_RECALLS;
    if (count > 0) return { answer: { kind: 'granted', ...base, count }, recalls };
    return { answer: { kind: isWaiting ? 'recalling' : 'refused', ...base }, recalls };
  }

  /** Reserves are called in before they are needed, and what other edges hold only when nothing else is left. */
  function recallFrom(
    account: Account,
    { edge: asking, caller, limit }: Request,
    { reserve, isLast }: { readonly reserve: number; readonly isLast: boolean },
    now: number,
  ): Recalled {
    const recalls: Recall[] = [];
    let isWaiting = false;
    for (const edge of new Set([...places.edges(), ...account.shares.keys()])) {
      const share = account.shares.get(edge);
      // An edge gives back by itself what it did not spend in time.
      const isHolding = isLast && share !== undefined && share.held > 0 && share.until > now;
      if (edge === asking || (!isHolding && reserveOf(account, edge, limit, now) <= reserve)) continue;
      const step = recallStep(account.recalls, edge, now);
      isWaiting ||= step !== 'go on without';
      if (step !== 'ask') continue;
      recalls.push({ kind: 'recall', edge, caller, limit, held: isLast ? 0 : ALL_CALLS, reserve });
    }
    return { isWaiting, recalls };
  }

  function remember(account: Account, request: Request, answer: Answer, now: number): void {
    conclude(account, request, answer, now);
    accounts.delete(request.caller);
    accounts.set(request.caller, account);
  }

  function respond(request: Request, now: number): LedgerOutcome {
    const account = accountOf(request.caller);
    const known = account.shares.get(request.edge);
    if (known !== undefined && request.n <= known.n) {
      const isRepeated = request.n === known.n;
      return isRepeated
        ? { events: [], messages: [{ ...known.answer, sentAt: request.sentAt, at: now }] }
        : NOTHING;
    }
    settle(account, request, now);
    const { answer, recalls } = answerTo(account, request, now);
    const messages = [answer, ...recalls];
    if (!isNews(account, request, answer, now)) return { events: [], messages };
    remember(account, request, answer, now);
    return { events: [{ kind: 'answered', at: now, request, answer }], messages };
  }

  function apply(event: LedgerEvent): void {
    switch (event.kind) {
      case 'enrolled':
        if (!places.counts(event.edge, event.at)) leave(event.edge);
        places.take(event.edge, {
          parts: event.parts,
          reserveFrom: event.reserveFrom,
          until: event.until,
        });
        break;
      case 'left':
        leave(event.edge);
        break;
      case 'time':
        break;
      case 'answered': {
        const account = accountOf(event.request.caller);
        const known = account.shares.get(event.request.edge);
        // Whoever was killed while it stored events may have stored the last ones again.
        if (known !== undefined && event.request.n <= known.n) break;
        settle(account, event.request, event.at);
        remember(account, event.request, event.answer, event.at);
      }
    }
  }

  return {
    receive(message, now) {
      switch (message.kind) {
        case 'hello':
          return enrol(message.edge, message.sentAt, now);
        case 'leave':
          leave(message.edge);
          return { events: [{ kind: 'left', at: now, edge: message.edge }], messages: [] };
        default:
          return respond(message, now);
      }
    },
    restore(events) {
      for (const event of events) apply(event);
    },
    callers(now) {
      forget(now);
      return accounts.size;
    },
  };
}
