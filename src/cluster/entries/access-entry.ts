import * as z from 'zod';
import type {
  AlertPlace,
  AlertRow,
  KeptKey,
  KeptPayment,
  UsageError,
  UsagePage,
  WaitlistEntry,
} from '../../store/store.ts';
import { decodeJson, encodeJson } from './versioned-json.ts';

/** The last batch of usage of an edge that is in the stored sums. */
export interface UsageMark {
  readonly edge: string;
  readonly n: number;
  /** When it came, UTC ms. */
  readonly at: number;
}

/**
 * One change to what is kept of callers, as it goes to the stores of all engines of a shard. Each of them makes the same
 * changes in the same order, so each gets the same results; making the last few of them twice leads to the same stores.
 */
export type AccessChange =
  | { readonly op: 'keys'; readonly keys: readonly KeptKey[] }
  | { readonly op: 'claim'; readonly entry: WaitlistEntry; readonly at: number }
  | { readonly op: 'reserve'; readonly payment: KeptPayment }
  | { readonly op: 'payment'; readonly payment: KeptPayment }
  | { readonly op: 'release'; readonly id: string }
  | { readonly op: 'prunePayments'; readonly beforeAt: number; readonly maxRows: number }
  | {
      readonly op: 'usage';
      readonly pages: readonly UsagePage[];
      readonly errors: readonly UsageError[];
      /** All that are still of use. */
      readonly marks: readonly UsageMark[];
    }
  | { readonly op: 'pruneUsage'; readonly beforeAt: number; readonly maxRows: number }
  | {
      readonly op: 'grants';
      readonly at: number;
      /** The JSON texts of the ledger's events. */
      readonly events: readonly string[];
      /** Events of this time or earlier are no longer needed. */
      readonly overAt: number;
    }
  | { readonly op: 'alerts'; readonly put: readonly AlertRow[]; readonly remove: readonly AlertPlace[] };

const text = z.string();
const at = z.number();
const count = z.int().min(0);

const key = z.strictObject({
  id: text,
  hash: z.string(),
  tier: z.enum(['FREE', 'PRO', 'INTERNAL']),
  name: text,
  limit: z.int().nullable(),
  createdAt: at,
  lastUsedAt: at.nullable(),
  revokedAt: at.nullable(),
});

export const waitlistEntry = z.strictObject({
  type: z.enum(['agent', 'human']),
  useCase: text,
  name: text.nullable(),
  wallet: text.nullable(),
  email: text.nullable(),
});

export const keptReply = z.strictObject({
  status: z.int().min(100).max(599),
  headers: z.record(text, text),
  body: text,
});

const payment = z.strictObject({
  id: text,
  state: z.enum(['RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'UNKNOWN']),
  proof: text,
  resource: text,
  order: text,
  validBeforeAt: at,
  changedAt: at,
  nextTryAt: at.nullable(),
  tries: count,
  usedAtFirst: z.literal(true).exactOptional(),
  takenAt: at.exactOptional(),
  lastAnswer: text.exactOptional(),
  reply: keptReply.nullable(),
  receipt: text.nullable(),
  sentAt: at.nullable(),
});

const usageRow = z.strictObject({
  endpoint: text,
  method: text,
  second: count,
  requests: count,
  errors: count,
  ms: z.number(),
  bytes: z.number(),
});

const usagePage = z.strictObject({
  keyId: text,
  span: z.enum(['minute', 'hour', 'day']),
  index: count,
  rows: z.array(usageRow),
});

const usageError = z.strictObject({
  keyId: text,
  n: z.int().min(1),
  at,
  endpoint: text,
  method: text,
  status: z.int(),
  ms: z.number(),
  message: text,
});

const alertPlace = z.tuple([z.enum(['upTo', 'rule', 'state', 'waiting', 'dead']), text, count]);

const change = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('keys'), keys: z.array(key) }),
  z.strictObject({ op: z.literal('claim'), entry: waitlistEntry, at }),
  z.strictObject({ op: z.literal('reserve'), payment }),
  z.strictObject({ op: z.literal('payment'), payment }),
  z.strictObject({ op: z.literal('release'), id: text }),
  z.strictObject({ op: z.literal('prunePayments'), beforeAt: at, maxRows: count }),
  z.strictObject({
    op: z.literal('usage'),
    pages: z.array(usagePage),
    errors: z.array(usageError),
    marks: z.array(z.strictObject({ edge: text, n: count, at })),
  }),
  z.strictObject({ op: z.literal('pruneUsage'), beforeAt: at, maxRows: count }),
  z.strictObject({ op: z.literal('grants'), at, events: z.array(text), overAt: at }),
  z.strictObject({
    op: z.literal('alerts'),
    put: z.array(z.strictObject({ place: alertPlace, text })),
    remove: z.array(alertPlace),
  }),
]);

const changes = z.array(change).min(1);

/** Changes in their order, at least one. */
export function encodeAccessEntry(changes: readonly AccessChange[]): Uint8Array {
  return encodeJson(JSON.stringify(changes));
}

export function decodeAccessEntry(bytes: Uint8Array): readonly AccessChange[] {
  return decodeJson(changes, bytes, 'an access entry');
}
