import * as z from 'zod';
import { engineUnavailable } from '../../access/engine-unavailable.ts';
import type { Following, SharedValues } from '../../bus/bus.ts';
import { offerOf } from '../../payments/offer.ts';
import type { PaymentService } from '../../payments/payment-service.ts';
import * as refusals from '../../payments/refusals.ts';
import type { PaymentTerms } from '../../payments/terms.ts';
import { decodeJson, encodeJson } from '../entries/versioned-json.ts';
import type { AskEngine } from './ask-engine.ts';

/** The name among the shared values `callers` under which the leader tells what calls cost. */
const NAME = 'payments';

const terms = z
  .strictObject({
    network: z.templateLiteral(['eip155:', z.string()]),
    asset: z.string(),
    assetName: z.string(),
    assetVersion: z.string(),
    payTo: z.string(),
    price: z.string().transform(BigInt),
    prices: z.array(z.strictObject({ prefix: z.string(), price: z.string().transform(BigInt) })),
  })
  .nullable();
/** `isOpen` is false while payments cannot be taken. Without terms no calls are sold. */
const sale = z.strictObject({ terms, isOpen: z.boolean() });

export interface Sale {
  readonly terms: PaymentTerms | null;
  readonly isOpen: boolean;
}

/** The leader's side: tells all edges what calls cost. */
export function tellSale(shared: SharedValues, told: Sale): Promise<void> {
  const json = JSON.stringify(told, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return shared.set(NAME, encodeJson(json));
}

interface WatchedSale {
  readonly following: Following;
  current(): Sale | undefined;
}

/** The edge's side. */
export function watchSale(shared: SharedValues, report: (error: unknown) => void): WatchedSale {
  let current: Sale | undefined;
  const following = shared.watch((change) => {
    if (change.type !== 'set' || change.value.name !== NAME) return;
    try {
      current = decodeJson(sale, change.value.bytes, 'what calls cost');
    } catch (error) {
      report(error);
    }
  });
  // The shards of an edge are on the same stream, and it joins the cluster anew when they end.
  following.ended.catch(report);
  return { following, current: () => current };
}

interface RemotePaymentsDeps {
  readonly ask: AskEngine;
  readonly shard: string;
  readonly sale: () => Sale | undefined;
  /** Another one for each charge. */
  readonly newId: () => string;
  /** Ms of a clock that never goes back. */
  readonly mono: () => number;
}

/** As long as a facilitator may take to verify and to settle. */
const PATIENCE_MS = 60_000;

/** Payments at an edge: the leading engine takes them, and the edge makes the answer that is bought. */
export function createRemotePayments({ ask, shard, sale, newId, mono }: RemotePaymentsDeps): PaymentService {
  return {
    offer(path, url) {
      const { terms = null, isOpen = false } = sale() ?? {};
      return terms !== null && isOpen ? offerOf(terms, path, url) : undefined;
    },
    async charge({ payment, path, resource, url, address, answer, isGone }) {
      if ((sale()?.terms ?? null) === null) throw refusals.unavailable();
      const id = newId();
      const asked = { id, payment, path, resource, url, address };
      const endAt = mono() + PATIENCE_MS;
      let said = await ask.once(shard, 'charge', asked);
      while (said.kind === 'working' && mono() < endAt) said = await ask.once(shard, 'charge', asked);
      if (said.kind === 'wanted') {
        const reply = await answered();
        const withReply = { ...asked, reply };
        do said = await ask.once(shard, 'charge', withReply);
        while (said.kind !== 'done' && mono() < endAt);
      }
      if (said.kind !== 'done') throw engineUnavailable();
      const { result } = said;
      return {
        reply: result,
        // When it is lost the engine reports a reply that was never sent.
        sent: () => void ask.once(shard, 'sent', { id }).catch(() => undefined),
      };

      async function answered() {
        try {
          const { status, headers, body } = await answer();
          return isGone() ? null : { status, headers, body };
        } catch (error) {
          await ask.once(shard, 'charge', { ...asked, reply: null }).catch(() => undefined);
          throw error;
        }
      }
    },
    close: async () => undefined,
  };
}
