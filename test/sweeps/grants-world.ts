import type { Admitted, Verdict } from '../../src/access/limits/grants/caller-share.ts';
import { createEdgeGrants, type EdgeGrants } from '../../src/access/limits/grants/edge-grants.ts';
import { createLedger, type Ledger } from '../../src/access/limits/grants/ledger.ts';
import {
  decodeEdgeMessage,
  decodeEngineMessage,
  decodeLedgerEvent,
  type EdgeMessage,
  type EngineMessage,
} from '../../src/access/limits/grants/messages.ts';
import { LEDGER_KEPT_MS } from '../../src/access/limits/grants/rules.ts';

/** What happens to messages: parts of all of them, and ms. */
export interface Network {
  readonly delayMs: number;
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  readonly lateMs: number;
}

export interface GrantsWorldSettings {
  readonly startAt: number;
  readonly edges: number;
  readonly network: Network;
  readonly random: () => number;
  readonly placeMs: number;
}

/** An engine and edges in virtual time, joined by a network and with a store that can be as bad as asked. */
export interface GrantsWorld {
  readonly now: () => number;
  at(atMs: number, act: () => void): void;
  /** Lets everything happen up to a time. */
  runUntil(atMs: number): void;
  /** `settled` is told the verdict, at once or later; never when the edge is killed before. */
  call(edge: number, caller: string, limit: number, settled: (verdict: Verdict) => void): void;
  refund(edge: number, call: Admitted): void;
  status(edge: number): EdgeGrants['status'];
  /** What was not stored is lost, and so is all that is sent to it until it is started again. */
  killEngine(): void;
  startEngine(): void;
  /** Cuts an edge off from the engine, or joins it again. */
  cut(edge: number, isCut: boolean): void;
  /** Another process takes its place, which knows nothing. */
  killEdge(edge: number): void;
  /** The edge gives everything back, and another process takes its place when it has. */
  closeEdge(edge: number): void;
  readonly messages: number;
}

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

interface EdgeProcess {
  readonly id: string;
  readonly grants: EdgeGrants;
  readonly mono: () => number;
  tickAt: number;
  isCut: boolean;
}

const STORE_MS = 0.5;

export function createGrantsWorld(settings: GrantsWorldSettings): GrantsWorld {
  const { network, random } = settings;
  const queue = createQueue();
  let nowMs = settings.startAt;
  let order = 0;
  let messages = 0;
  let processes = 0;
  const stored: string[] = [];
  let engine: Ledger | undefined;
  let storedAt = 0;
  const edges: EdgeProcess[] = [];
  const byId = new Map<string, EdgeProcess>();

  function at(atMs: number, act: () => void): void {
    order += 1;
    queue.push({ atMs: Math.max(atMs, nowMs), order, act });
  }

  /** As text, so that nothing but what a bus carries goes over. */
  function carry(message: EdgeMessage | EngineMessage, deliver: (value: unknown) => void): void {
    messages += 1;
    if (random() < network.lost) return;
    const text = JSON.stringify(message);
    const copies = random() < network.doubled ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const lateMs = random() < network.late ? random() * network.lateMs : 0;
      at(nowMs + network.delayMs * (0.2 + random()) + lateMs, () => deliver(JSON.parse(text)));
    }
  }

  function toEngine(from: EdgeProcess, message: EdgeMessage): void {
    if (from.isCut) return;
    carry(message, (value) => {
      const decoded = decodeEdgeMessage(value);
      if (decoded === undefined) throw new TypeError(`no message of an edge: ${JSON.stringify(value)}`);
      if (engine === undefined) return;
      const living = engine;
      const outcome = engine.receive(decoded, nowMs);
      const texts = outcome.events.map((event) => JSON.stringify(event));
      storedAt = Math.max(storedAt, nowMs + (texts.length > 0 ? STORE_MS : 0));
      at(storedAt, () => {
        if (engine !== living) return;
        stored.push(...texts);
        for (const answer of outcome.messages) toEdge(answer);
      });
    });
  }

  function toEdge(message: EngineMessage): void {
    if (byId.get(message.edge)?.isCut === true) return;
    carry(message, (value) => {
      const decoded = decodeEngineMessage(value);
      if (decoded === undefined) throw new TypeError(`no message of the engine: ${JSON.stringify(value)}`);
      const edge = byId.get(decoded.edge);
      if (edge !== undefined) act(edge, ({ grants, mono }) => grants.receive(decoded, mono()));
    });
  }

  /** Lets an edge do something, and wakes it when it wants to do more. */
  function act<T>(edge: EdgeProcess, does: (edge: EdgeProcess) => T): T {
    const result = does(edge);
    const waitMs = edge.grants.nextTickAt() - edge.mono();
    const tickAt = nowMs + Math.max(0.01, waitMs);
    if (Number.isFinite(tickAt) && (edge.tickAt <= nowMs || tickAt < edge.tickAt)) {
      edge.tickAt = tickAt;
      at(tickAt, () => {
        if (edge.tickAt !== tickAt || byId.get(edge.id) !== edge) return;
        edge.tickAt = 0;
        act(edge, ({ grants, mono }) => grants.tick(mono()));
      });
    }
    return result;
  }

  function startEdge(index: number): void {
    processes += 1;
    const id = `edge-${processes}`;
    const beganAt = nowMs;
    // No two clocks run alike.
    const speed = 1 + (random() - 0.5) * 0.000_1;
    const mono = () => 1_000 + (nowMs - beganAt) * speed;
    const send = (message: EdgeMessage) => toEngine(edge, message);
    const edge: EdgeProcess = {
      id,
      grants: createEdgeGrants({ edge: id, send }),
      mono,
      tickAt: 0,
      isCut: edges[index]?.isCut ?? false,
    };
    edges[index] = edge;
    byId.set(id, edge);
    act(edge, ({ grants }) => grants.tick(mono()));
  }

  function edgeAt(index: number): EdgeProcess {
    const edge = edges[index];
    if (edge === undefined) throw new RangeError(`no edge ${index}`);
    return edge;
  }

  function startEngine(): void {
    engine = createLedger({ places: settings.edges, placeMs: settings.placeMs });
    engine.restore(
      stored
        .map((text) => decodeLedgerEvent(JSON.parse(text)))
        .filter(({ at }) => at > nowMs - LEDGER_KEPT_MS),
    );
    storedAt = nowMs;
  }

  startEngine();
  for (let index = 0; index < settings.edges; index++) startEdge(index);

  return {
    now: () => nowMs,
    at,
    runUntil(atMs) {
      for (let entry = queue.popUntil(atMs); entry !== undefined; entry = queue.popUntil(atMs)) {
        nowMs = entry.atMs;
        entry.act();
      }
      nowMs = Math.max(nowMs, atMs);
    },
    call(index, caller, limit, settled) {
      const edge = edgeAt(index);
      const later = (verdict: Verdict) => {
        if (byId.get(edge.id) === edge) settled(verdict);
      };
      const verdict = act(edge, ({ grants, mono }) => grants.take({ caller, limit }, mono(), later));
      if (verdict !== 'waiting') settled(verdict);
    },
    refund(index, call) {
      act(edgeAt(index), ({ grants, mono }) => grants.refund(call, mono()));
    },
    status: (index) => edgeAt(index).grants.status,
    killEngine() {
      engine = undefined;
    },
    startEngine,
    cut(index, isCut) {
      edgeAt(index).isCut = isCut;
    },
    killEdge(index) {
      byId.delete(edgeAt(index).id);
      startEdge(index);
    },
    closeEdge(index) {
      act(edgeAt(index), ({ grants, mono }) => grants.close(mono()));
      startEdge(index);
    },
    get messages() {
      return messages;
    },
  };
}

/** A heap of what is to happen, first in time first, and in order within one time. */
function createQueue() {
  const heap: Entry[] = [];
  const isBefore = (one: Entry, other: Entry) =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

  function pop(): Entry | undefined {
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let hole = 0;
    for (;;) {
      const left = heap[2 * hole + 1];
      if (left === undefined) break;
      const right = heap[2 * hole + 2];
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!isBefore(child, last)) break;
      heap[hole] = child;
      hole = 2 * hole + (isRight ? 2 : 1);
    }
    heap[hole] = last;
    return top;
  }

  return {
    push(entry: Entry): void {
      let hole = heap.length;
      for (;;) {
        const up = (hole - 1) >> 1;
        const parent = hole > 0 ? heap[up] : undefined;
        if (parent === undefined || !isBefore(entry, parent)) break;
        heap[hole] = parent;
        hole = up;
      }
      heap[hole] = entry;
    },
    popUntil(atMs: number): Entry | undefined {
      return (heap[0]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs ? pop() : undefined;
    },
  };
}
