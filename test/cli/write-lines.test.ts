import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { writeLines } from '../../src/cli/write-lines.ts';

/** Counts how many texts were asked for, and whether the asking was ended properly. */
function counted(length: number) {
  const seen = { asked: 0, isReturned: false };
  async function* texts(): AsyncGenerator<string> {
    try {
      for (; seen.asked < length; ) {
        seen.asked += 1;
        yield `${'x'.repeat(20_000)}\n`;
      }
    } finally {
      seen.isReturned = true;
    }
  }
  return { seen, texts };
}

describe('writeLines', () => {
  it('writes everything in order and leaves the other side open', async () => {
    const to = new PassThrough();
    async function* texts(): AsyncGenerator<string> {
      yield 'one\n';
      yield 'two\n';
    }
    await writeLines(texts(), to);
    assert.equal(to.read()?.toString(), 'one\ntwo\n');
    assert.equal(to.writable, true);
  });

  it('asks for no more while the other side does not read', async () => {
    const to = new PassThrough();
    const { seen, texts } = counted(100);
    const pouring = writeLines(texts(), to);
    // Long enough for anything that does not wait.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(seen.asked < 10, `asked for ${seen.asked}`);
    to.resume();
    await pouring;
    assert.equal(seen.asked, 100);
  });

  it('ends without an error when the other side closes', async () => {
    const to = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const { seen, texts } = counted(1_000_000);
    await writeLines(texts(), to);
    assert.equal(seen.isReturned, true);
  });

  it('passes any other failure on', async () => {
    async function* texts(): AsyncGenerator<string> {
      yield 'one\n';
      throw new RangeError('broken');
    }
    await assert.rejects(writeLines(texts(), new PassThrough().resume()), RangeError);
  });
});
