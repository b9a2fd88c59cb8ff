import assert from 'node:assert/strict';
import { createSourceRequests } from './source-requests.ts';
import { createViolations } from './violations.ts';

function stage() {
  let at = 0;
  const violations = createViolations(() => at);
  const requests = createSourceRequests({ now: () => at, violations });
  return {
    wait(ms: number) {
      at += ms;
    },
    ask: (path: string, { life = 'engine 1', source = 'events' } = {}) =>
      requests.begin({ life, source }, Buffer.from(`GET ${path} HTTP/1.1\r\nHost: world.test\r\n\r\n`)),
    isRight: () => violations.found.length === 0,
  };
}

const answer = (status: number, ...headers: readonly string[]) =>
  Buffer.from([`HTTP/1.1 ${status} X`, 'Content-Length: 2', ...headers, '', '{}'].join('\r\n'));

describe('createSourceRequests', () => {
  it('lets one thing be asked for after the other, as soon as all of an answer is there', () => {
    const { ask, isRight } = stage();
    ask('/oracle/api/trackings/1').onAnswer(answer(200));
    const second = ask('/oracle/api/trackings/1');
    ask('/oracle/api/trackings/2');
    ask('/oracle/api/trackings/1', { life: 'engine 2' });
    assert.ok(isRight());
    second.onAnswer(answer(200).subarray(0, -1));
    ask('/oracle/api/trackings/1?again');
    assert.ok(!isRight());
  });

  it('lets a request that was given up be made again', () => {
    const { ask, isRight } = stage();
    ask('/book/books').onEnd();
    ask('/book/books');
    assert.ok(isRight());
  });

  it('lets a page be read by each of the two sources that read pages', () => {
    const { ask, isRight } = stage();
    for (const source of ['events', 'ui:a']) ask('/market/events/slug/x', { source });
    assert.ok(isRight());
    ask('/market/events/slug/x', { source: 'ui:b' });
    assert.ok(!isRight());
  });

  for (const path of ['/market/events/slug/x', '/posts-api/2/tweets'])
    it(`lets no source ask twice for ${path} at a time, though others may`, () => {
      const { ask, isRight } = stage();
      const first = ask(path, { source: 'deletions:a' });
      ask(path, { source: 'posts:a' });
      first.onEnd();
      ask(path, { source: 'deletions:a' });
      assert.ok(isRight());
      ask(path, { source: 'posts:a' });
      assert.ok(!isRight());
    });

  it('lets posts be looked up by each of the four sources that do, and by no fifth', () => {
    const { ask, isRight } = stage();
    for (const source of ['deletions:a', 'deletions:b', 'posts:a', 'posts:b'])
      ask('/posts-api/2/tweets', { source });
    assert.ok(isRight());
    ask('/posts-api/2/tweets', { source: 'events' });
    assert.ok(!isRight());
  });

  it('lets few requests to a host be under way', () => {
    const { ask, isRight } = stage();
    for (let n = 0; n < 16; n++) ask(`/market/events/slug/${n}`);
    assert.ok(isRight());
    ask('/market/events/slug/16');
    assert.ok(!isRight());
  });

  for (const header of ['Retry-After: 20', 'Retry-After: Wed, 04 Nov 2026 15:00:20 GMT'])
    it(`lets nobody ask before ${header}, of that host`, () => {
      const { ask, wait, isRight } = stage();
      ask('/market/events').onAnswer(answer(429, header, 'Date: Wed, 04 Nov 2026 15:00:00 GMT'));
      ask('/oracle/api/trackings/1');
      wait(20_000);
      ask('/market/events').onAnswer(answer(503, header, 'Date: Wed, 04 Nov 2026 15:00:00 GMT'));
      wait(19_999);
      assert.ok(isRight());
      ask('/market/events/slug/x');
      assert.ok(!isRight());
    });

  it('takes nonsense for nothing, and a minute for the longest time', () => {
    const { ask, wait, isRight } = stage();
    for (const value of ['soon', '-5', '1.5', ''])
      ask('/market/events').onAnswer(answer(429, `Retry-After: ${value}`));
    ask('/market/events').onAnswer(answer(429, 'Retry-After: 999999999'));
    wait(60_000);
    ask('/market/events');
    assert.ok(isRight());
  });
});
