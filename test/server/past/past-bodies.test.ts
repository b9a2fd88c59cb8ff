import assert from 'node:assert/strict';
import { createPastBodies } from '../../../src/server/past/past-bodies.ts';

describe('createPastBodies', () => {
  it('makes a body once for all who ask meanwhile and later, one after the other', async () => {
    const bodies = createPastBodies();
    const made: string[] = [];
    let atWork = 0;
    const make = (name: string) => async () => {
      atWork += 1;
      assert.equal(atWork, 1);
      made.push(name);
      await Promise.resolve();
      atWork -= 1;
      return `body of ${name}`;
    };
    const ask = (name: string) => bodies.of(name, make(name));
    assert.deepEqual(await Promise.all(['a', 'b', 'a'].map(ask)), ['body of a', 'body of b', 'body of a']);
    assert.equal(await ask('b'), 'body of b');
    assert.deepEqual(made, ['a', 'b']);
  });

  it('keeps the bodies that were last requested, as far as they are not too long together', async () => {
    const bodies = createPastBodies();
    let made = 0;
    const ask = (n: number) => bodies.of(String(n), async () => String(++made).padEnd(100_000));
    for (let n = 0; n < 20; n++) await ask(n);
    for (let n = 10; n < 20; n++) await ask(n);
    assert.equal(made, 20);
    await ask(9);
    assert.equal(made, 21);
    const tooLong = () => bodies.of('long', async () => String(++made).padEnd(2_000_000));
    assert.equal((await tooLong()).length, (await tooLong()).length);
    assert.equal(made, 23);
    await ask(19);
    assert.equal(made, 23);
  });

  it('forgets a body that failed, and continues', async () => {
    const bodies = createPastBodies();
    await assert.rejects(
      bodies.of('a', () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.equal(await bodies.of('a', async () => 'whole'), 'whole');
  });

  it('refuses with 503 when too many wait', async () => {
    const bodies = createPastBodies();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = Array.from({ length: 32 }, (_, n) => bodies.of(String(n), () => gate.then(() => 'body')));
    assert.throws(() => bodies.of('one more', async () => 'body'), { status: 503, code: 'past_busy' });
    release();
    await Promise.all(waiting);
    assert.equal(await bodies.of('one more', async () => 'body'), 'body');
  });
});
