import { createLedger } from '../../access/limits/grants/ledger.ts';
import {
  decodeEdgeMessage,
  decodeLedgerEvent,
  type EngineMessage,
  type LedgerEvent,
} from '../../access/limits/grants/messages.ts';
import type { PlaceSettings } from '../../access/limits/grants/places.ts';
import { LEDGER_KEPT_MS } from '../../access/limits/grants/rules.ts';
import type { Time } from '../../bus/time.ts';
import { ServiceError } from '../../errors.ts';
import type { GrantLog } from '../../store/store.ts';
import type { AccessLog } from '../access/access-log.ts';

/** The engine's side of limits across edges, on the bus: the ledger, and what waits to be sent to edges. */
export interface EngineGrants {
  /** Answers the messages of an edge. What they led to is stored first. */
  receive(edge: string, messages: readonly unknown[]): Promise<readonly EngineMessage[]>;
  /** Messages to an edge that it did not ask for, as soon as there are some; none after a while without. */
  listen(edge: string): Promise<readonly EngineMessage[]>;
}

interface EngineGrantsDeps {
  readonly log: AccessLog;
  /** What earlier leaders stored. */
  readonly stored: GrantLog;
  readonly settings: PlaceSettings;
  /** UTC ms that go on evenly. */
  readonly now: () => number;
  readonly time: Time;
  /** Receives messages that are none, and why nothing is answered. */
  readonly report: (error: unknown) => void;
}

/** Stored before a time is told that is later than the one before; so long a new leader may have to wait. */
const TOLD_AHEAD_MS = 2_000;
const LISTEN_MS = 1_000;
const MOST_UNSENT = 10_000;

interface Mailbox {
  messages: EngineMessage[];
  wake: () => void;
}

/**
 * Times must not go back from one leader to the next, whatever their clocks say. So a leader stores a time before it tells
 * it, and a new one says nothing until its own clock is past the last time that was stored.
 */
export function openEngineGrants(deps: EngineGrantsDeps): EngineGrants {
  const { log, stored, settings, now, time, report } = deps;
  const ledger = createLedger(settings);
  const mailboxes = new Map<string, Mailbox>();
  let silentUntil = 0;
  restore();
  /** No later time is told. */
  let toldUpTo = silentUntil;
  /** Everything before is stored. */
  let lastStored: Promise<unknown> = Promise.resolve();

  function restore(): void {
    const events = stored.all().map((text) => decodeLedgerEvent(JSON.parse(text)));
    ledger.restore(events);
    for (const { at } of events) silentUntil = Math.max(silentUntil, at);
    const aheadMs = silentUntil - now();
    if (aheadMs > TOLD_AHEAD_MS) {
      const message = `the last leader's clock was ahead of this one; for ${Math.ceil(aheadMs)} ms edges are granted nothing`;
      report(new ServiceError('CLOCK_BEHIND', message));
    }
  }

  function mailboxOf(edge: string): Mailbox {
    let mailbox = mailboxes.get(edge);
    if (mailbox === undefined) {
      mailbox = { messages: [], wake: () => undefined };
      mailboxes.set(edge, mailbox);
    }
    return mailbox;
  }

  /** Recalls are asked for again when they are lost. */
  function post(message: EngineMessage): void {
    const mailbox = mailboxOf(message.edge);
    if (mailbox.messages.length >= MOST_UNSENT) mailbox.messages = [];
    mailbox.messages.push(message);
    mailbox.wake();
  }

  function store(events: readonly LedgerEvent[], at: number): void {
    const texts = events.map((event) => JSON.stringify(event));
    lastStored = log.make({ op: 'grants', at, events: texts, overAt: at - LEDGER_KEPT_MS });
    // Whoever waits for it is told.
    lastStored.catch(() => undefined);
  }

  return {
    async receive(edge, values) {
      const at = now();
      if (at < silentUntil) return [];
      const events: LedgerEvent[] = [];
      const answers: EngineMessage[] = [];
      for (const value of values) {
        const message = decodeEdgeMessage(value);
        if (message === undefined || message.edge !== edge) {
          report(new TypeError(`the edge ${edge} sent no message of the ledger`));
          continue;
        }
        const outcome = ledger.receive(message, at);
        events.push(...outcome.events);
        answers.push(...outcome.messages);
        if (message.kind === 'leave') mailboxes.delete(edge);
      }
      if (at + TOLD_AHEAD_MS / 2 > toldUpTo) {
        toldUpTo = at + TOLD_AHEAD_MS;
        events.push({ kind: 'time', at: toldUpTo });
      }
      if (events.length > 0) store(events, at);
      await lastStored;
      for (const message of answers) if (message.edge !== edge) post(message);
      return answers.filter((message) => message.edge === edge);
    },

    async listen(edge) {
      const mailbox = mailboxOf(edge);
      // One at a time: whoever listened before is gone.
      mailbox.wake();
      if (mailbox.messages.length === 0) {
        const waiting = new AbortController();
        mailbox.wake = () => waiting.abort();
        await time.pause(LISTEN_MS, waiting.signal);
        if (mailboxes.get(edge) !== mailbox) return [];
      }
      const { messages } = mailbox;
      mailbox.messages = [];
      return messages;
    },
  };
}
