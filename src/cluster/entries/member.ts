import * as z from 'zod';
import { decodeJson, encodeJson } from './versioned-json.ts';

const member = z.strictObject({
  role: z.enum(['engine', 'edge']),
  /** Of the machine. */
  host: z.string(),
  /** Of an engine; null of an edge, which serves all. */
  shard: z.string().nullable(),
  state: z.enum(['leader', 'standby', 'edge']),
  /** Of a leader. */
  term: z.int().nullable(),
  /** Of the program. */
  version: z.string(),
  graphVersion: z.int(),
  /** The last place of its shard's stream that it has applied; null of an edge. */
  place: z.int().nullable(),
  /** Of an edge: how far it has followed each shard, and the ms since it last knew all of it. */
  shards: z
    .array(z.strictObject({ shard: z.string(), place: z.int(), lagMs: z.number().nullable() }))
    .exactOptional(),
  /** The end of its log, and the digest up to there. */
  seq: z.int().nullable(),
  digest: z.string().nullable(),
  /** Ms since it was last known to have applied everything; 0 of a leader; null if it never was. */
  lagMs: z.number().nullable(),
  /** Why it cannot take over, or another thing an operator has to look at. */
  alarm: z.string().nullable(),
  /** When it said so, UTC ms by its own calendar. */
  at: z.number(),
});

/** What a process tells of itself, about each second, under its name in the shared area `members`. */
export type Member = Readonly<z.infer<typeof member>>;

export function encodeMember(value: Member): Uint8Array {
  return encodeJson(JSON.stringify(value));
}

export function decodeMember(bytes: Uint8Array): Member {
  return decodeJson(member, bytes, 'what a member tells of itself');
}
