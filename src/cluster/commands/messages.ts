import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { alertBody } from '../../contract/alert-rule.ts';
import { alertRuleRecord, deadAlertRecord } from '../../contract/records/alert.ts';
import { InvalidRequest } from '../../contract/validation/validate.ts';
import { RequestError } from '../../errors.ts';
import { keptReply, waitlistEntry } from '../entries/access-entry.ts';
import { decodeJson, encodeJson } from '../entries/versioned-json.ts';

const text = z.string();
/** By which a repeated command is known: another one for each command. */
const id = z.string().min(1).max(100);
const edge = z.string().min(1).max(200);
const count = z.int().min(0);
const at = z.number();

/** One of the waitlist's places is asked for. */
const claim = z.strictObject({ id, entry: waitlistEntry });
const place = z.strictObject({ position: z.int().min(1), isNew: z.boolean() });

/** A call that another process can answer. */
const answer = z.strictObject({
  id,
  path: text,
  query: text,
  keyId: text.nullable(),
  tier: z.enum(['FREE', 'PRO', 'INTERNAL']),
  ifNoneMatch: text.nullable(),
});

/**
 * A call that is paid for. The answer that is bought is wanted once the payment was found valid: the same command is then
 * sent again with it, or with null when the caller has left.
 */
const charge = z.strictObject({
  id,
  payment: text,
  path: text,
  resource: text,
  url: text,
  address: text,
  reply: keptReply.nullable().exactOptional(),
});
export type Charge = z.infer<typeof charge>;

const usageSum = z.strictObject({
  keyId: text.nullable(),
  endpoint: text,
  method: text,
  at,
  requests: count,
  errors: count,
  ms: z.number(),
  bytes: z.number(),
});
const recordedRequest = z.strictObject({
  endpoint: text,
  method: text,
  status: z.int(),
  ms: z.number(),
  bytes: z.number(),
  keyId: text.nullable(),
  message: text,
  at,
});
/** What an edge answered since its last batch; `n` counts its batches from 1, and the next one comes after this is stored. */
const usage = z.strictObject({
  edge,
  n: z.int().min(1),
  sums: z.array(usageSum),
  errors: z.array(recordedRequest),
});

/** Messages of an edge to the ledger of limits; each is checked on its own. */
const grants = z.strictObject({ edge, messages: z.array(z.unknown()) });
const grantMessages = z.strictObject({ messages: z.array(z.unknown()) });

const nothing = z.strictObject({});

/** What the holder of a key asks about its rules of alerts. */
const alertsAsk = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('list') }),
  z.strictObject({ do: z.literal('add'), body: alertBody }),
  z.strictObject({ do: z.literal('remove'), rule: text }),
  z.strictObject({ do: z.literal('dead'), limit: count }),
]);
/** Of what was asked for; `secret` is that of a rule that was just made, and null otherwise. */
const alertsAnswer = z.strictObject({
  rules: z.array(alertRuleRecord),
  dead: z.array(deadAlertRecord),
  secret: text.nullable(),
});

/** A command of the operator about rules of alerts, and its answer or why it is refused. */
const operated = z.strictObject({ answer: z.unknown(), refusal: text.nullable() });

/** Every command: what is asked, and what is answered. */
const COMMANDS = {
  claim: { asked: claim, answered: place },
  answer: { asked: answer, answered: keptReply },
  charge: { asked: charge, answered: keptReply },
  /** The answer to a paid call has left. */
  sent: { asked: z.strictObject({ id }), answered: nothing },
  usage: { asked: usage, answered: nothing },
  grants: { asked: grants, answered: grantMessages },
  /** Waits for messages of the ledger to an edge that it did not ask for. */
  listen: { asked: z.strictObject({ edge }), answered: grantMessages },
  /** To the shard of the rule's account. */
  alerts: { asked: z.strictObject({ id, keyId: text, ask: alertsAsk }), answered: alertsAnswer },
  /** What an operator says to any engine of a shard. */
  operate: { asked: z.strictObject({ id, command: z.unknown() }), answered: operated },
} as const;

export type CommandName = keyof typeof COMMANDS;
export type Asked<Name extends CommandName> = z.infer<(typeof COMMANDS)[Name]['asked']>;
export type Answered<Name extends CommandName> = z.infer<(typeof COMMANDS)[Name]['answered']>;

/** What the engine says to a command. */
export type Said<Name extends CommandName> =
  | { readonly kind: 'done'; readonly result: Answered<Name> }
  /** It takes longer: ask again. */
  | { readonly kind: 'working' }
  /** The payment is valid: ask again, with the answer that is bought. */
  | { readonly kind: 'wanted' }
  /** The caller is at fault, or the engine cannot do it now. */
  | { readonly kind: 'refused'; readonly error: RequestError };

const refused = z.strictObject({
  kind: z.literal('refused'),
  status: z.int().min(400).max(599),
  code: text,
  message: text,
  headers: z.record(text, text),
  fields: z.record(text, z.unknown()),
  faults: z
    .array(z.strictObject({ loc: z.array(z.union([text, z.number()])), msg: text, type: text }))
    .nullable(),
});
const said = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), result: z.unknown() }),
  z.strictObject({ kind: z.literal('working') }),
  z.strictObject({ kind: z.literal('wanted') }),
  refused,
]);

/** Larger ones are compressed, as a message of the bus has about a megabyte at most. */
const PLAIN_BYTES = 100_000;
/** The first byte of everything compressed; no version has it. */
const COMPRESSED = 0x1f;
const MOST_BYTES = 32 * 1024 * 1024;

function pack(value: unknown): Uint8Array {
  const bytes = encodeJson(JSON.stringify(value));
  return bytes.length > PLAIN_BYTES ? gzipSync(bytes) : bytes;
}

function unpack<T>(schema: z.ZodType<T>, bytes: Uint8Array, what: string): T {
  const plain = bytes[0] === COMPRESSED ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) : bytes;
  return decodeJson(schema, plain, what);
}

export function encodeAsked(asked: Asked<CommandName>): Uint8Array {
  return pack(asked);
}

export function decodeAsked<Name extends CommandName>(name: Name, bytes: Uint8Array): Asked<Name> {
  const schema: z.ZodType = COMMANDS[name].asked;
  return unpack(schema, bytes, `the command ${name}`) as Asked<Name>;
}

export function encodeSaid(what: Said<CommandName>): Uint8Array {
  if (what.kind !== 'refused') return pack(what);
  const { status, code, message, headers, fields } = what.error;
  const faults = what.error instanceof InvalidRequest ? what.error.faults : null;
  return pack({ kind: 'refused', status, code, message, headers, fields, faults });
}

export function decodeSaid<Name extends CommandName>(name: Name, bytes: Uint8Array): Said<Name> {
  const what = `the answer to the command ${name}`;
  const read = unpack(said, bytes, what);
  switch (read.kind) {
    case 'done': {
      const schema: z.ZodType = COMMANDS[name].answered;
      return { kind: 'done', result: schema.parse(read.result) as Answered<Name> };
    }
    case 'refused': {
      const { status, code, message, headers, fields, faults } = read;
      const error =
        faults === null
          ? new RequestError(status, code, message, headers, fields)
          : new InvalidRequest(faults);
      return { kind: 'refused', error };
    }
    default:
      return read;
  }
}

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
