import * as z from 'zod';

const MOST_CALLS = 1_000_000_000;
/** Of one report: twice what an edge lets it grow to by calls, as some may have been taken back. */
const MOST_TIMES = 20_000;

const id = z.string().min(1).max(200);
/** The engine's time, UTC ms. */
const at = z.number().min(0);
const calls = z.int().min(0).max(MOST_CALLS);
/** Counts the requests of an edge, so that a repeated one is known. */
const n = z.int().min(1);
/** The edge's own monotonic clock when this copy was sent, ms. The answer carries it back. */
const sentAt = z.number();

/**
 * What an edge spent since its last request, by the engine's time and never too early; calls that were taken back after
 * they had been reported are negative. `held` and `reserve` are what it goes on with.
 */
const request = {
  edge: id,
  caller: id,
  limit: calls,
  n,
  sentAt,
  spent: z.array(z.tuple([at, z.int().min(-MOST_CALLS).max(MOST_CALLS)])).max(MOST_TIMES),
  held: calls,
  reserve: calls,
};
const ask = z.object({ kind: z.literal('ask'), ...request });
const report = z.object({ kind: z.literal('report'), ...request });
const requestMessage = z.discriminatedUnion('kind', [ask, report]);
/** A request that is repeated is the same but for `sentAt`. A report asks for nothing. */
export type Request = z.infer<typeof requestMessage>;

const edgeMessage = z.discriminatedUnion('kind', [
  ask,
  report,
  z.object({ kind: z.literal('hello'), edge: id, sentAt }),
  z.object({ kind: z.literal('leave'), edge: id }),
]);
/** From an edge to the engine. */
export type EdgeMessage = z.infer<typeof edgeMessage>;

/**
 * The edge may spend what it holds, together with what is granted, until `until`, and `reserve` without the engine. `free`
 * is what is left beside for all, and at `freeAt` there is more.
 */
const answer = { edge: id, caller: id, n, sentAt, at, until: at, reserve: calls, free: calls, freeAt: at };
const granted = z.object({ kind: z.literal('granted'), ...answer, count: calls.min(1) });
const refused = z.object({ kind: z.literal('refused'), ...answer });
/** Nothing is left but what other edges were asked to give back. */
const recalling = z.object({ kind: z.literal('recalling'), ...answer });
const noted = z.object({ kind: z.literal('noted'), ...answer });
const answerMessage = z.discriminatedUnion('kind', [granted, refused, recalling, noted]);
export type Answer = z.infer<typeof answerMessage>;

/** The edge keeps at most this much of a caller, and reports. */
const recall = z.object({
  kind: z.literal('recall'),
  edge: id,
  caller: id,
  limit: calls,
  held: calls,
  reserve: calls,
});
export type Recall = z.infer<typeof recall>;

/**
 * Until `until` the edge may use its reserves: what it was told, and from `reserveFrom` on a part of the limit of a caller
 * that it knows nothing of. An edge without a place has none: its `until` is 0.
 */
const place = { parts: z.int().min(1), reserveFrom: at, until: at };
const welcome = z.object({ kind: z.literal('welcome'), edge: id, sentAt, at, ...place });
export type Welcome = z.infer<typeof welcome>;

const engineMessage = z.discriminatedUnion('kind', [granted, refused, recalling, noted, recall, welcome]);
/** From the engine to an edge. */
export type EngineMessage = z.infer<typeof engineMessage>;

const ledgerEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('enrolled'), at, edge: id, ...place }),
  z.object({ kind: z.literal('left'), at, edge: id }),
  z.object({ kind: z.literal('answered'), at, request: requestMessage, answer: answerMessage }),
  /** No time later than this is told before the next of these events is stored. */
  z.object({ kind: z.literal('time'), at }),
]);
/** What the ledger has to be restored with. */
export type LedgerEvent = z.infer<typeof ledgerEvent>;

/** The most that a recall can leave: it then asks for nothing of the kind. */
export const ALL_CALLS = MOST_CALLS;

/** Undefined for a value that is no such message; whoever received it reports it and goes on. */
export function decodeEdgeMessage(value: unknown): EdgeMessage | undefined {
  return edgeMessage.safeParse(value).data;
}

/** Undefined for a value that is no such message; whoever received it reports it and goes on. */
export function decodeEngineMessage(value: unknown): EngineMessage | undefined {
  return engineMessage.safeParse(value).data;
}

/** Throws for a value that is no event: a ledger with a gap would give out too much. */
export function decodeLedgerEvent(value: unknown): LedgerEvent {
  return ledgerEvent.parse(value);
}

export function grantedBy(answer: Answer): number {
  return answer.kind === 'granted' ? answer.count : 0;
}
