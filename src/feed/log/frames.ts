import type { FeedCause } from '../../contract/feed.ts';
import type { Audience } from '../../views/audience.ts';
import type { Topic } from '../channels.ts';

/** A change of one record, numbered. */
export interface Frame {
  readonly topic: Topic;
  readonly seq: number;
  /** When the observation behind it came in, UTC ms. */
  readonly at: number;
  readonly causes: readonly FeedCause[];
  readonly key: string;
  readonly isGone: boolean;
  /** JSON of the record, or `null` once it is gone. The same text each time. */
  data(view: Audience): string;
}

export const GONE = 'null';

/** `prevSeq` is what the reader was sent before; frames in between were merged into later ones. */
export function updateText(epoch: string, frame: Frame, prevSeq: number, view: Audience): string {
  const { topic, seq, at, causes, key } = frame;
  const merged = seq - prevSeq - 1;
  return (
    `{"type":"update",${placeText(epoch, topic, seq)},"prev_seq":${prevSeq},"ts":${at},` +
    `"cause":${JSON.stringify(causes)},${merged > 0 ? `"merged":${merged},` : ''}` +
    `"key":${JSON.stringify(key)},"data":${frame.data(view)}}`
  );
}

/** `data` is the JSON array of all records as of `seq`. */
export function snapshotText(epoch: string, topic: Topic, seq: number, at: number, data: string): string {
  return (
    `{"type":"snapshot",${placeText(epoch, topic, seq)},"prev_seq":null,"ts":${at},` +
    `"cause":[],"data":${data}}`
  );
}

function placeText(epoch: string, { channel, account }: Topic, seq: number): string {
  const name = account === null ? 'null' : JSON.stringify(account.segment);
  return `"channel":"${channel.name}","account":${name},"epoch":"${epoch}","seq":${seq}`;
}

/** A text as a whole WebSocket frame, not masked, as a server sends it. */
export function toWire(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const bytes = Buffer.allocUnsafe(headLength + length);
  bytes[0] = 0x81;
  if (headLength === 2) bytes[1] = length;
  else if (headLength === 4) {
    bytes[1] = 126;
    bytes.writeUInt16BE(length, 2);
  } else {
    bytes[1] = 127;
    bytes.writeBigUInt64BE(BigInt(length), 2);
  }
  bytes.write(text, headLength);
  return bytes;
}

/** What is sent to many: texts in order, and all of them as one piece of a WebSocket, made when first needed. */
export interface Parcel {
  readonly texts: readonly string[];
  /** Seq of each text's frame; none of a heartbeat. */
  readonly seqs: readonly number[];
  wire(): Buffer;
}

/** Frames in a row, as they go to a reader who has the one before them. */
export function updatesParcel(epoch: string, frames: readonly Frame[], view: Audience): Parcel {
  const texts = frames.map((frame) => updateText(epoch, frame, frame.seq - 1, view));
  return parcelOf(
    texts,
    frames.map(({ seq }) => seq),
  );
}

export function parcelOf(texts: readonly string[], seqs: readonly number[] = []): Parcel {
  let wire: Buffer | undefined;
  return {
    texts,
    seqs,
    wire() {
      wire ??= texts.length === 1 ? toWire(texts[0] ?? '') : Buffer.concat(texts.map(toWire));
      return wire;
    },
  };
}
