import type { Audience } from '../../views/audience.ts';
import { type Frame, updateText } from '../log/frames.ts';

/** Texts that go to many readers, in order. */
export interface FrameBatch {
  readonly texts: readonly string[];
  /** The seq of each text; empty for heartbeats, which have no numbers. */
  readonly seqs: readonly number[];
  /** All texts as WebSocket frames, encoded when first needed. */
  webSocketBytes(): Buffer;
}

export function batchOf(texts: readonly string[], seqs: readonly number[] = []): FrameBatch {
  let bytes: Buffer | undefined;
  return {
    texts,
    seqs,
    webSocketBytes() {
      bytes ??=
        texts.length === 1 ? webSocketFrame(texts[0] ?? '') : Buffer.concat(texts.map(webSocketFrame));
      return bytes;
    },
  };
}

export function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Successive frames, for readers that have the previous frame. */
export function updatesBatch(epoch: string, frames: readonly Frame[], audience: Audience): FrameBatch {
  const texts = frames.map((frame) => updateText(epoch, frame, frame.seq - 1, audience));
  return batchOf(
    texts,
    frames.map(({ seq }) => seq),
  );
}

/** A text as one unmasked WebSocket frame, as servers send it (RFC 6455, 5.2). */
export function webSocketFrame(text: string): Buffer {
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
