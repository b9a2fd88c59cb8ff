import type { KnownKeys } from '../../access/keys/key-lookup.ts';
import type { Counting } from '../../access/limits/counting.ts';
import { edgeCounting } from '../../access/limits/grants/edge-counting.ts';
import type { EdgeGrants } from '../../access/limits/grants/edge-grants.ts';
import type { Tier } from '../../access/tiers.ts';

import type { Bus } from '../../bus/bus.ts';
import type { Time } from '../../bus/time.ts';
import type { PaymentService } from '../../payments/payment-service.ts';
import type { KeptReply, Waitlist } from '../../store/store.ts';
import { watchKeys } from '../access/shared-keys.ts';
import { type AskEngine, createAskEngine } from './ask-engine.ts';
import { callersShard } from './callers-shard.ts';
import { openEdgeGrants } from './edge-grants-link.ts';
import { createEdgeUsage, type EdgeUsage } from './edge-usage.ts';
import { createRemotePayments, watchSale } from './remote-payments.ts';

interface EdgeCallersDeps {
  readonly bus: Bus;
  /** Another one for each process. */
  readonly edge: string;
  readonly time: Time;
  /** UTC ms. */
  readonly wall: () => number;
  /** A name that no two calls ever give. */
  readonly newId: () => string;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** The call of a reader that another process answers. */
interface ForwardedCall {
  readonly query: string;
  readonly keyId: string | null;
  readonly ifNoneMatch: string | undefined;
}

/** What an edge needs of callers; the engine of the shard that keeps them has the truth. */
export interface EdgeCallers {
  readonly keys: KnownKeys;
  readonly counting: Counting<unknown>;
  readonly status: () => EdgeGrants['status'];
  /** Undefined when no calls were sold when the edge started. */
  readonly payments: PaymentService | undefined;
  readonly recorder: EdgeUsage;
  readonly waitlist: Waitlist;
  /** The shard that keeps callers. */
  readonly shard: string;
  /** Asks the leading engines. */
  readonly ask: AskEngine;
  /** Has the engine of a shard answer a call. */
  readonly forward: (shard: string, path: string, call: ForwardedCall, tier: Tier) => Promise<KeptReply>;
  /** Sends what was recorded and gives back what was granted, if an engine answers. */
  close(): Promise<void>;
}

/** A place is stored in milliseconds, or its engine is being replaced. */
const CLAIM_PATIENCE_MS = 2_000;
/** As long as the market may take to tell what a wallet holds. */
const ANSWER_PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 200;

/** Resolves once a shard keeps callers and all its keys are known. */
export async function openEdgeCallers(deps: EdgeCallersDeps): Promise<EdgeCallers> {
  const { bus, edge, time, wall, newId, report, signal } = deps;
  const ask = createAskEngine(bus.commands, time);
  const shared = bus.shared('callers');
  let found = await callersShard(shared);
  while (found === undefined) {
    signal.throwIfAborted();
    await time.pause(LOOK_AGAIN_MS, signal);
    found = await callersShard(shared);
  }
  const shard = found;
  const keys = watchKeys(bus.shared('keys'), report);
  const sale = watchSale(shared, report);
  while (keys.following.caughtUpAt === undefined || sale.following.caughtUpAt === undefined) {
    signal.throwIfAborted();
    await time.pause(LOOK_AGAIN_MS, signal);
  }
  const link = openEdgeGrants({
    edge,
    send: async (messages) =>
      (await resultOf(ask.once(shard, 'grants', { edge, messages: [...messages] }))).messages,
    listen: async () => (await resultOf(ask.once(shard, 'listen', { edge }))).messages,
    time,
    report,
  });
  const usage = createEdgeUsage({
    send: async (n, { sums, errors }) => {
      await ask.once(shard, 'usage', { edge, n, sums: [...sums], errors: [...errors] });
    },
    now: wall,
    report,
  });
  usage.start();
  const hasSales = (sale.current()?.terms ?? null) !== null;
  return {
    keys,
    shard,
    ask,
    counting: edgeCounting(link.grants, time.mono),
    status: () => link.grants.status,
    payments: hasSales
      ? createRemotePayments({ ask, shard, sale: sale.current, newId, mono: time.mono })
      : undefined,
    recorder: usage,
    waitlist: {
      claim: (entry) => ask.until(shard, 'claim', { id: newId(), entry }, CLAIM_PATIENCE_MS),
      list: () => [],
    },
    forward: (of, path, { query, keyId, ifNoneMatch = null }, tier) =>
      ask.until(of, 'answer', { id: newId(), path, query, keyId, tier, ifNoneMatch }, ANSWER_PATIENCE_MS),
    async close() {
      await usage.stop();
      await link.close();
      await Promise.all([keys.following.stop(), sale.following.stop()]);
    },
  };
}

async function resultOf<T>(
  asked: Promise<{ readonly kind: 'done'; readonly result: T } | { readonly kind: 'working' | 'wanted' }>,
): Promise<T> {
  const said = await asked;
  if (said.kind !== 'done') throw new TypeError(`expected a result, the engine is ${said.kind}`);
  return said.result;
}
