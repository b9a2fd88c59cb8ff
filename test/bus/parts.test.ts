import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createAssembly, formatId, parseId, splitIntoParts } from '../../src/bus/parts.ts';
import type { StoredMessage } from '../../src/bus/transport.ts';

const EPOCH = 'e1';
const anyBytes = fc.uint8Array({ maxLength: 40 });

interface Written {
  readonly body: Uint8Array;
  /** How many parts were stored before its writer died; all if it did not. */
  readonly cutAfter: number | undefined;
}

/** Messages of these entries, each writer that dies followed by the next term. */
function messagesOf(entries: readonly Written[], largest: number): StoredMessage[] {
  const messages: StoredMessage[] = [];
  let term = 1;
  for (const { body, cutAfter } of entries) {
    const parts = splitIntoParts(body, largest);
    const stored = parts.slice(0, Math.min(cutAfter ?? parts.length, parts.length));
    for (const [index, part] of stored.entries()) {
      const place = messages.length + 1;
      const id = formatId({ epoch: EPOCH, term, place, part: index + 1, parts: parts.length });
      messages.push({ place, subject: 'log', id, body: part });
    }
    if (stored.length < parts.length) term += 1;
  }
  return messages;
}

describe('parts', () => {
  it('make whole entries again, without those that were never completed', () => {
    const anyEntry = fc.record(
      { body: anyBytes, cutAfter: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 20 }),
        fc.integer({ min: 1, max: 10 }),
        (entries, largest) => {
          const assemble = createAssembly(EPOCH);
          const whole = messagesOf(entries, largest).flatMap((message) => assemble(message) ?? []);
          const expected = entries.filter(
            ({ body, cutAfter }) =>
              cutAfter === undefined || cutAfter >= splitIntoParts(body, largest).length,
          );
          assert.deepEqual(
            whole.map(({ body }) => Buffer.from(body).toString('hex')),
            expected.map(({ body }) => Buffer.from(body).toString('hex')),
          );
        },
      ),
    );
  });

  it('are no larger than allowed, and there is one at least', () => {
    fc.assert(
      fc.property(anyBytes, fc.integer({ min: 1, max: 50 }), (bytes, largest) => {
        const parts = splitIntoParts(bytes, largest);
        assert.ok(parts.length >= 1 && parts.every(({ length }) => length <= largest));
        assert.equal(Buffer.compare(Buffer.concat(parts), bytes), 0);
      }),
    );
  });

  it('of another cluster, another place or no engine are refused', () => {
    const message = (id: string): StoredMessage => ({
      place: 7,
      subject: 'log',
      id,
      body: new Uint8Array(0),
    });
    assert.deepEqual(parseId(message('e1:2:7:1/3'), EPOCH), {
      epoch: EPOCH,
      term: 2,
      place: 7,
      part: 1,
      parts: 3,
    });
    assert.throws(() => parseId(message('e2:2:7:1/3'), EPOCH), { code: 'BUS_OTHER_CLUSTER' });
    for (const id of ['', 'x', 'e1:2:8:1/3', 'e1:0:7:1/3', 'e1:2:7:4/3', 'e1:2:7:0/3']) {
      assert.throws(() => parseId(message(id), EPOCH), { code: 'BUS_DAMAGED' }, id);
    }
  });

  it('of an earlier term behind a later one, or without those before them, are damage', () => {
    const message = (place: number, term: number, part: number): StoredMessage => ({
      place,
      subject: 'log',
      id: formatId({ epoch: EPOCH, term, place, part, parts: 2 }),
      body: new Uint8Array(1),
    });
    const assemble = createAssembly(EPOCH);
    assemble(message(1, 2, 1));
    assert.throws(() => assemble(message(2, 1, 1)), { code: 'BUS_DAMAGED' });
    assert.throws(() => createAssembly(EPOCH)(message(1, 1, 2)), { code: 'BUS_DAMAGED' });
  });
});
