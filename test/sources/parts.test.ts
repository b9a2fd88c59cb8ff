import assert from 'node:assert/strict';
import { SourceError } from '../../src/errors.ts';
import { createParts } from '../../src/sources/parts.ts';

const FIRST_WAIT_MS = 2_000;

describe('createParts', () => {
  const { signal } = new AbortController();
  let now = 0;
  let asked: string[] = [];
  let failing = new Set<string>();
  let parts = createParts()({ mono: () => now });

  beforeEach(() => {
    now = 0;
    asked = [];
    failing = new Set();
    parts = createParts()({ mono: () => now });
  });

  async function read(name: string): Promise<void> {
    asked.push(name);
    if (failing.has(name)) throw new SourceError('SOURCE_STATUS', `${name} failed`, { status: 500 });
  }

  const readEach = (...names: string[]) => parts.readEach(names, { nameOf: (name) => name, read }, signal);
  const readOne = (name: string) => parts.readOne(name, () => read(name), signal);

  it('leaves a part that has failed out for a time that doubles, and asks for the others', async () => {
    failing.add('b');
    await assert.rejects(readEach('a', 'b', 'c'), /b failed/);
    await readEach('a', 'b', 'c');
    now = FIRST_WAIT_MS;
    await assert.rejects(readEach('a', 'b', 'c'), /b failed/);
    now = 3 * FIRST_WAIT_MS - 1;
    await readEach('a', 'b', 'c');
    assert.deepEqual(asked.join(''), 'abcacabcac');
    assert.equal(parts.leftOutMs('b'), 1);
    assert.equal(parts.leftOutMs('a'), undefined);
  });

  it('asks for a part at each turn once it has been read', async () => {
    failing.add('a');
    await assert.rejects(readOne('a'));
    failing.delete('a');
    now = FIRST_WAIT_MS;
    await readOne('a');
    await readOne('a');
    assert.equal(asked.length, 3);
    assert.equal(parts.leftOutMs('a'), undefined);
  });

  it('says that a part may be asked for at once which has become due since it was left out', async () => {
    failing.add('a');
    await assert.rejects(readOne('a'));
    now = FIRST_WAIT_MS - 0.01;
    await readOne('a');
    assert.equal(asked.length, 1);
    now = FIRST_WAIT_MS;
    assert.equal(parts.leftOutMs('a'), 0);
  });

  it('leaves the host alone after two failures in a row, and at once where it asks for that', async () => {
    failing.add('a').add('b');
    await assert.rejects(readEach('a', 'b', 'c'), /a failed/);
    assert.deepEqual(asked, ['a', 'b']);
    const tooMany = new SourceError('SOURCE_STATUS', 'too many requests', { status: 429 });
    await assert.rejects(
      parts.readEach(['d', 'e'], { nameOf: (name) => name, read: () => Promise.reject(tooMany) }, signal),
      tooMany,
    );
    assert.equal(parts.leftOutMs('e'), undefined);
  });
});
