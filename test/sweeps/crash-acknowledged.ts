import * as z from 'zod';
import { createSentTexts } from '../simulation/sent-texts.ts';
import type { Recording, SendCall } from './call-recording.ts';
import { emailAt, frameRow, placeRow, postRow } from './crash-rows.ts';

/** Something that left the process, from the record `at` on: whoever has it relies on it. */
export type Acknowledged = { readonly at: number } & (
  | { readonly is: 'row'; readonly row: string }
  /** An observation that something was computed from. */
  | { readonly is: 'seq'; readonly seq: number }
);

const update = z.object({
  type: z.literal('update'),
  channel: z.string(),
  account: z.string().nullable(),
  epoch: z.string(),
  seq: z.number(),
  ts: z.number(),
  key: z.string(),
});

const POST_ID = /"tweet_id":"(\d+)"/g;
const PLACE = /"status":"registered","position":(\d+)\}/g;
const AS_OF = /"as_of":\{"seq":(\d+),/g;

/** What the services on `ports` had sent, and what was written to the file `told`, in the order of the records. */
export function acknowledgedIn(
  { calls }: Recording,
  ports: ReadonlySet<number>,
  told: number,
): readonly Acknowledged[] {
  const found: Acknowledged[] = [];
  const sockets = new Map<number, (call: SendCall) => void>();

  /** Tells the frames of a WebSocket and, of any connection, what is named in its bytes. */
  function watch(): (call: SendCall) => void {
    let at = 0;
    const texts = createSentTexts((text) => {
      if (!text.startsWith('{"type":"update"')) return;
      const { channel, account, ts, ...place } = update.parse(JSON.parse(text));
      const topic = account === null ? channel : `${channel}/${account}`;
      found.push({ at, is: 'row', row: frameRow({ ...place, topic, at: ts }) });
    });
    return (call) => {
      at = call.at;
      texts(call.bytes);
      const text = call.bytes.toString('latin1');
      for (const [, id = ''] of text.matchAll(POST_ID)) found.push({ at, is: 'row', row: postRow(id) });
      for (const [, seq] of text.matchAll(AS_OF)) found.push({ at, is: 'seq', seq: Number(seq) });
      for (const [, position] of text.matchAll(PLACE)) {
        const place = Number(position);
        found.push({ at, is: 'row', row: placeRow(place, emailAt(place)) });
      }
    };
  }

  for (const call of calls) {
    if (call.is === 'send' && ports.has(call.port)) {
      const tell = sockets.get(call.socket) ?? watch();
      sockets.set(call.socket, tell);
      tell(call);
    }
    if (call.is === 'write' && call.file === told)
      for (const row of call.bytes.toString().trim().split('\n')) found.push({ at: call.at, is: 'row', row });
  }
  return found;
}
