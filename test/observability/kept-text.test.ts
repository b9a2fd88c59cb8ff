import assert from 'node:assert/strict';
import { keepText } from '../../src/observability/kept-text.ts';

describe('keepText', () => {
  it('makes the text once for all who ask within the time', async () => {
    let now = 0;
    let made = 0;
    const text = keepText(
      async () => String(++made),
      1_000,
      () => now,
    );
    assert.deepEqual(await Promise.all([text(), text()]), ['1', '1']);
    now = 999;
    assert.equal(await text(), '1');
    now = 1_000;
    assert.equal(await text(), '2');
  });

  it('makes a text that failed again', async () => {
    let tries = 0;
    const text = keepText(async () => {
      tries += 1;
      if (tries === 1) throw new Error('broken');
      return 'whole';
    }, 1_000);
    await assert.rejects(text(), /broken/);
    assert.equal(await text(), 'whole');
  });
});
