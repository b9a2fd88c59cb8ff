import * as z from 'zod';
import { parsedJson } from './parsed-json.ts';

/** A record as somebody was shown it, whether in an answer or in a frame. */
export interface ShownRecord {
  /** The channel that has such records, or `portfolio` or `rebalancing`. */
  readonly channel: string;
  /** The segment of its account; null for a record of none. */
  readonly account: string | null;
  /** What names the record among those of its channel and account; undefined where there is nothing of the kind. */
  readonly key: string | undefined;
  readonly record: Readonly<Record<string, unknown>>;
}

const record = z.record(z.string(), z.unknown());
const envelope = z.object({ data: z.array(record) });
const update = z.object({
  type: z.literal('update'),
  channel: z.string(),
  account: z.string().nullable(),
  ts: z.number(),
  data: record.nullable(),
});
const snapshot = z.object({
  type: z.literal('snapshot'),
  channel: z.string(),
  account: z.string().nullable(),
  ts: z.number(),
  data: z.array(record),
});

const PREFIX = '/api/v1/';

/** Which records the endpoint at a path answers with; undefined where it answers with none of the feed. */
function placeOf(path: string): Pick<ShownRecord, 'channel' | 'account'> | undefined {
  const [pathname = ''] = path.split('?');
  if (!pathname.startsWith(PREFIX)) return undefined;
  const [kind, account = '', rest] = pathname.slice(PREFIX.length).split('/');
  if (kind === 'meta' && account === 'crypto') return { channel: 'crypto', account: null };
  if (kind === 'meta') return { channel: rest ?? 'counters', account };
  if (kind === 'prediction' || kind === 'signals') return { channel: kind, account };
  return kind === 'portfolio' ? { channel: rest ?? kind, account } : undefined;
}

function keyOf(fields: ShownRecord['record']): string | undefined {
  const { event_id: event, tweet_id: post, account } = fields;
  const key = event ?? post ?? account;
  return typeof key === 'string' || typeof key === 'number' ? String(key) : undefined;
}

/** The records of a good answer to a request for this path. */
export function recordsOfAnswer(path: string, text: string): readonly ShownRecord[] {
  const place = placeOf(path);
  const body = place && envelope.safeParse(parsedJson(text));
  if (place === undefined || !body?.success) return [];
  return body.data.data.map((each) => ({ ...place, key: keyOf(each), record: each }));
}

interface FrameRecord extends ShownRecord {
  readonly type: 'update' | 'snapshot';
  /** When its frame was made, UTC ms by the engine. */
  readonly at: number;
}

/** The records in the text of a frame. */
export function recordsOfFrame(text: string): readonly FrameRecord[] {
  const isUpdate = text.startsWith('{"type":"update"');
  if (!isUpdate && !text.startsWith('{"type":"snapshot"')) return [];
  const json = parsedJson(text);
  if (isUpdate) {
    const { channel, account, ts: at, data } = update.parse(json);
    return data === null ? [] : [{ type: 'update', channel, account, key: keyOf(data), at, record: data }];
  }
  const { channel, account, ts: at, data } = snapshot.parse(json);
  return data.map((each) => ({ type: 'snapshot', channel, account, key: keyOf(each), at, record: each }));
}
