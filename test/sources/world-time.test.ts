import assert from 'node:assert/strict';
import { createWorldTime } from '../../src/sources/world-time.ts';

const NOON = Date.UTC(2026, 10, 15, 12);
const HOUR_MS = 3_600_000;

function stage() {
  let boot = 90_000;
  const { onHeaders, now } = createWorldTime(() => boot);
  const tell = (host: string, at: number, more: Readonly<Record<string, string>> = {}) =>
    onHeaders(`https://${host}/path?query`, new Headers({ date: new Date(at).toUTCString(), ...more }));
  return {
    onHeaders,
    now,
    tell,
    pass(ms: number) {
      boot += ms;
    },
  };
}

describe('the time of the world', () => {
  it('is not known before anybody told it', () => {
    const { onHeaders, now } = stage();
    assert.equal(now(), undefined);
    onHeaders('https://a.test/', new Headers());
    onHeaders('https://a.test/', new Headers({ date: 'yesterday' }));
    onHeaders('https://a.test/', new Headers({ date: new Date(NOON).toUTCString(), age: 'old' }));
    assert.equal(now(), undefined);
  });

  it('goes on from what was told', () => {
    const { tell, now, pass } = stage();
    tell('a.test', NOON);
    pass(1_500);
    assert.equal(now(), NOON + 1_500);
  });

  it('is what most hosts say, however often one of them answers', () => {
    const { tell, now } = stage();
    tell('a.test', NOON);
    tell('b.test', NOON);
    for (let answer = 0; answer < 10; answer++) tell('liar.test', NOON + 50 * HOUR_MS);
    assert.equal(now(), NOON);
  });

  it('takes the first answer of each second, which is the nearest to it', () => {
    const { tell, now, pass } = stage();
    tell('a.test', NOON);
    pass(900);
    tell('a.test', NOON);
    assert.equal(now(), NOON + 900);
    pass(300);
    tell('a.test', NOON + 1_000);
    assert.equal(now(), NOON + 1_000);
  });

  it('adds how long a cache kept the answer', () => {
    const { tell, now } = stage();
    tell('a.test', NOON, { age: '90' });
    assert.equal(now(), NOON + 90_000);
  });

  it('is not known any more once nobody has told it for a while', () => {
    const { tell, now, pass } = stage();
    tell('a.test', NOON);
    pass(10 * 60_000 + 1);
    assert.equal(now(), undefined);
  });
});
