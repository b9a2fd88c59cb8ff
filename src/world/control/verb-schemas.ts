import * as z from 'zod';
import { POST_KINDS } from '../life/post-kind.ts';
import { SETTLE_BEHAVIOURS, VERIFY_BEHAVIOURS } from '../wire/facilitator.ts';
import { FAULT_KINDS, FAULT_ROLES } from './faults.ts';

/** The id of an account, such as `a`. */
const account = z.string();
/** An event's slug or number. */
const event = z.union([z.string(), z.number()]);
const at = z.number().int().positive();

/** What each verb takes, in process and as the JSON body of `POST /control/<verb>`. */
export const VERBS = {
  post: z.strictObject({
    account,
    kind: z.enum(POST_KINDS).default('original'),
    text: z.string().optional(),
    createdAt: at.optional(),
    /** The account's own post a self reply continues. */
    parentId: z.string().optional(),
  }),
  'delete-post': z.strictObject({ id: z.string() }),
  'edit-post': z.strictObject({ id: z.string(), text: z.string() }),
  /** The same post is shown as one of another kind from now on. */
  'change-kind': z.strictObject({ id: z.string(), kind: z.enum(POST_KINDS) }),
  /** Without an account: all. */
  'stall-oracle': z.strictObject({ account: account.optional() }),
  'resume-oracle': z.strictObject({ account: account.optional() }),
  'sync-oracle': z.strictObject({ account: account.optional() }),
  /** Null gives the total back to the oracle. */
  'set-oracle-total': z.strictObject({ event, total: z.number().int().min(0).nullable() }),
  /** Null shows no count; without a count the page follows the oracle again. */
  'set-ui-count': z.strictObject({ event, count: z.number().int().min(0).nullable().optional() }),
  'drop-socket': z.strictObject({ socket: z.enum(['book', 'crypto']) }),
  'freeze-socket': z.strictObject({
    socket: z.enum(['book', 'crypto']),
    answersPings: z.boolean().default(true),
  }),
  'thaw-socket': z.strictObject({ socket: z.enum(['book', 'crypto']) }),
  /** A frame with this text to every connection. */
  'send-frame': z.strictObject({ socket: z.enum(['book', 'crypto']), text: z.string() }),
  'set-price': z.strictObject({ token: z.string(), price: z.number().min(0.001).max(0.999).nullable() }),
  /** Without times the event has its own window again. */
  'move-window': z.strictObject({ event, startAt: at.optional(), endAt: at.optional() }),
  /** Other buckets, with markets of their own; without a width the event has its own ones again. */
  'set-buckets': z.strictObject({
    event,
    bucketWidth: z.number().int().min(1).optional(),
    bucketCount: z.number().int().min(3).max(45).default(11),
  }),
  /** The winner is a bucket's title, or Up or Down; without one the count decides. */
  'close-event': z.strictObject({ event, winner: z.string().optional() }),
  'reopen-event': z.strictObject({ event }),
  'add-event': z.strictObject({
    account,
    startAt: at,
    endAt: at,
    slug: z.string().optional(),
    title: z.string().optional(),
    bucketWidth: z.number().int().min(1).default(20),
    bucketCount: z.number().int().min(3).max(90).default(11),
  }),
  /** How the next calls are answered, whatever was signed. */
  'steer-facilitator': z.strictObject({
    verify: z.enum(VERIFY_BEHAVIOURS).optional(),
    settle: z.enum(SETTLE_BEHAVIOURS).optional(),
    /** For this many calls; null until the next change. */
    times: z.number().int().min(1).nullable().default(null),
    /** The share of payments it happens to. */
    share: z.number().gt(0).max(1).optional(),
  }),
  fault: z.strictObject({
    role: z.enum(FAULT_ROLES),
    kind: z.enum(FAULT_KINDS),
    times: z.number().int().min(1).nullable().default(null),
    status: z.number().int().min(200).max(599).optional(),
    retryAfter: z.string().nullable().default(null),
    delayMs: z.number().min(0).default(1_000),
    bytes: z
      .number()
      .int()
      .min(1)
      .default(64 * 1_048_576),
    contains: z.string().default(''),
  }),
  'clear-faults': z.strictObject({ role: z.enum(FAULT_ROLES).optional() }),
} as const;

export type Verb = keyof typeof VERBS;
export type VerbInput<V extends Verb> = z.input<(typeof VERBS)[V]>;
export type VerbBody<V extends Verb> = z.output<(typeof VERBS)[V]>;
