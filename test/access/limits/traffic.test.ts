import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createTraffic } from '../../../src/access/limits/traffic.ts';

const MINUTE_MS = 60_000;
const SHARE = 600_000;
const REQUEST_BYTES = 4_096;

describe('createTraffic', () => {
  it('refuses a caller whose share is used up, until enough of it has come back', () => {
    const traffic = createTraffic(SHARE);
    const account = traffic.accountOf('192.0.2.1');
    assert.equal(traffic.request(account, 0), 0);
    traffic.served(account, SHARE);
    const waitMs = traffic.request(account, 0);
    assert.ok(waitMs > 0);
    assert.ok(traffic.request(account, 0) > waitMs, 'a refused request counts too');
    assert.equal(traffic.request(traffic.accountOf('192.0.2.2'), 0), 0);
    assert.equal(traffic.request(account, MINUTE_MS), 0);
  });

  it('says exactly how long to wait when nothing else is asked meanwhile', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * SHARE }), fc.integer({ min: 0, max: 1e12 }), (bytes, at) => {
        const traffic = createTraffic(SHARE);
        const account = traffic.accountOf('a');
        traffic.request(account, at);
        traffic.served(account, bytes);
        const waitMs = traffic.request(account, at);
        if (waitMs > 0) assert.equal(traffic.request(account, at + waitMs), 0);
      }),
      { numRuns: 50 },
    );
  });

  it('serves no more than two shares in any minute, and whoever asks for less than a share a minute always', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: SHARE / 10 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const traffic = createTraffic(SHARE);
        const account = traffic.accountOf('a');
        const served: { readonly at: number; readonly bytes: number }[] = [];
        let at = 0;
        let asked = 0;
        for (const [pause, bytes] of steps) {
          at += pause;
          const waitMs = traffic.request(account, at);
          const cost = REQUEST_BYTES + bytes;
          if (waitMs === 0) {
            traffic.served(account, bytes);
            served.push({ at, bytes: cost });
          }
          if (asked < SHARE) assert.equal(waitMs, 0);
          asked += cost;
        }
        for (const { at: from } of served) {
          const within = served.filter((each) => each.at >= from && each.at < from + MINUTE_MS);
          const sum = within.reduce((total, { bytes }) => total + bytes, 0);
          assert.ok(sum <= 2 * SHARE + SHARE / 10 + REQUEST_BYTES, `${sum} bytes`);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('lets those who went on asking while refused come back within 10 s', () => {
    const traffic = createTraffic(SHARE);
    const account = traffic.accountOf('a');
    traffic.served(account, 100 * SHARE);
    for (let n = 0; n < 1_000; n++) traffic.request(account, 0);
    assert.ok(traffic.request(account, 0) <= 10_001);
    assert.equal(traffic.request(account, 10_001), 0);
  });
});
