import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createSentTexts } from './sent-texts.ts';

const HEAD = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n');

/** A frame as a server sends it. */
function frame(text: string, code = 1): Buffer {
  const content = Buffer.from(text);
  const first = Buffer.from([0x80 | code]);
  const { length } = content;
  if (length < 126) return Buffer.concat([first, Buffer.from([length]), content]);
  const long = Buffer.alloc(length < 65_536 ? 3 : 9);
  long.writeUInt8(length < 65_536 ? 126 : 127);
  if (length < 65_536) long.writeUInt16BE(length, 1);
  else long.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([first, long, content]);
}

describe('createSentTexts', () => {
  it('finds every text, however the bytes are cut', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.nat({ max: 70_000 }).map((length) => 'ü'.repeat(length)),
    );
    fc.assert(
      fc.property(
        fc.array(anyText, { maxLength: 4 }),
        fc.integer({ min: 99, max: 40_000 }),
        (texts, size) => {
          const found: string[] = [];
          const watch = createSentTexts((text) => found.push(text));
          const bytes = Buffer.concat([HEAD, ...texts.flatMap((text) => [frame(text), frame('ping', 9)])]);
          for (let at = 0; at < bytes.length; at += size) watch(bytes.subarray(at, at + size));
          assert.deepEqual(found, texts);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('finds none in other answers', () => {
    const watch = createSentTexts(() => assert.fail());
    watch(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'));
    watch(frame('text'));
  });
});
