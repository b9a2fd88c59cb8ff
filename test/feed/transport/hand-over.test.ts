import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { createHandOver, handOver, NODE_MAJOR, TRIED_WITH } from '../../../src/feed/transport/hand-over.ts';
import { eventually } from '../../support/eventually.ts';

/** A writer, and a reader who does not read until he is told to. */
async function withPair(use: (writer: Socket, reader: Socket) => Promise<void>): Promise<void> {
  const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const [writer] = (await once(server, 'connection')) as [Socket];
  // Of a reader who leaves.
  for (const end of [reader, writer]) end.on('error', () => undefined);
  try {
    await use(writer, reader);
  } finally {
    reader.destroy();
    writer.destroy();
    server.close();
  }
}

/** Each byte by its place, so that none can be lost or moved unseen. */
function bytesFrom(place: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = ((place + index) * 31) >> 3;
  return bytes;
}

async function read(reader: Socket, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  reader.on('data', (part) => {
    parts.push(Buffer.from(part));
    size += part.length;
  });
  reader.resume();
  await eventually(`all of ${length} bytes`, () => size >= length);
  return Buffer.concat(parts);
}

/** Of what is handed over and of what is too large for it. */
const anyLength = fc.oneof(fc.integer({ min: 1, max: 16_384 }), fc.integer({ min: 1, max: 400_000 }));

describe('handing bytes over to the system', () => {
  before(function () {
    // Elsewhere everything goes through the streams, as the tests of the feed show.
    if (!TRIED_WITH.includes(NODE_MAJOR)) this.skip();
  });

  it('brings them to the reader', () =>
    withPair(async (writer, reader) => {
      const waiter = { isWaiting: false };
      assert.equal(handOver(writer, Buffer.from('a frame'), waiter), true);
      assert.equal(waiter.isWaiting, false);
      assert.equal((await read(reader, 7)).toString(), 'a frame');
    }));

  it('is refused in a version that is not known, and sends nothing', () =>
    withPair(async (writer, reader) => {
      const waiter = { isWaiting: false };
      assert.equal(createHandOver(21)(writer, Buffer.from('lost'), waiter), false);
      writer.end('sent');
      assert.equal((await read(reader, 4)).toString(), 'sent');
    }));

  it('keeps the order of all bytes, through the stream or past it, to readers who are slow', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ length: anyLength, isHandedOver: fc.boolean() }), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.boolean(),
        (writes, isSlow) =>
          withPair(async (writer, reader) => {
            if (!isSlow) reader.resume();
            const total = writes.reduce((sum, { length }) => sum + length, 0);
            const reading = isSlow ? undefined : read(reader, total);
            const waiter = { isWaiting: false };
            let place = 0;
            for (const { length, isHandedOver } of writes) {
              const bytes = bytesFrom(place, length);
              if (!isHandedOver || !handOver(writer, bytes, waiter)) writer.write(bytes);
              place += length;
              await new Promise((resolve) => setImmediate(resolve));
            }
            const heard = await (reading ?? read(reader, total));
            assert.ok(heard.equals(bytesFrom(0, total)));
            await eventually('nothing waits', () => !waiter.isWaiting);
          }),
      ),
      { numRuns: 30 },
    ));

  it('is refused while something waits in the stream, and behind bytes that wait', () =>
    withPair(async (writer, reader) => {
      const waiter = { isWaiting: false };
      writer.cork();
      writer.write('a');
      assert.equal(handOver(writer, Buffer.from('too early'), waiter), false);
      writer.uncork();
      assert.equal((await read(reader, 1)).toString(), 'a');
      assert.equal(handOver(writer, Buffer.from('too early'), { isWaiting: true }), false);
      assert.equal(handOver(writer, Buffer.alloc(16_385), waiter), false);
    }));

  it('says when the system did not take all, until it has', () =>
    withPair(async (writer, reader) => {
      const waiter = { isWaiting: false };
      let place = 0;
      while (!waiter.isWaiting) {
        assert.ok(place < 100_000_000, 'the system takes everything');
        assert.ok(handOver(writer, bytesFrom(place, 16_000), waiter));
        place += 16_000;
      }
      writer.write(bytesFrom(place, 500));
      const heard = await read(reader, place + 500);
      assert.ok(heard.equals(bytesFrom(0, place + 500)));
      assert.equal(waiter.isWaiting, false);
    }));

  it('ends the socket of a reader who left with bytes on their way', () =>
    withPair(async (writer, reader) => {
      const waiter = { isWaiting: false };
      while (!waiter.isWaiting) handOver(writer, Buffer.alloc(16_000), waiter);
      reader.resetAndDestroy();
      await eventually('the socket is gone', () => writer.destroyed);
      assert.equal(handOver(writer, Buffer.from('late'), waiter), false);
    }));
});
