import assert from 'node:assert/strict';
import { requireBrowser } from '../dashboard/test-browser.ts';
import { assessPage, type PageSample, sweepPage } from './page.ts';
import { isFastEnough } from './page-latency.ts';

describe('a page that is left open', () => {
  it('draws updates without keeping them', async function () {
    this.timeout(240_000);
    requireBrowser(this);
    const samples = await sweepPage({
      of: 'busy',
      samples: 2,
      everyMs: 2_000,
      traceMs: 1_000,
      report: () => undefined,
    });
    const [first, last] = samples;
    assert.ok(first && last);
    assert.ok(first.updatesPerSecond > 0 && last.updatesPerSecond > 0);
    assert.ok(first.cpuMs.most > 0 && last.cpuMs.most > 0);
    // Code that has just been compiled is on the heap as well.
    assert.ok(last.heapBytes - first.heapBytes < 1_000_000, `${first.heapBytes} and ${last.heapBytes} bytes`);
    assert.equal(last.listeners, first.listeners);
  });

  it('fails its assessment when it grows, when its frames are long, and when updates are few', () => {
    const spread = (p99: number) => ({ p50: 1, p95: 5, p99, most: 30 });
    const hour = (fields: (place: number) => Partial<PageSample>) =>
      Array.from({ length: 60 }, (_, place) => ({
        minutes: place,
        heapBytes: 5_000_000,
        nodes: 1_000,
        listeners: 60,
        updatesPerSecond: 60,
        gapMs: spread(17),
        wallMs: spread(30),
        cpuMs: spread(10),
        ...fields(place),
      }));
    assert.equal(assessPage(hour(() => ({}))).isGood, true);
    assert.equal(assessPage(hour((place) => ({ heapBytes: 5_000_000 + place * 12_000 }))).isGood, false);
    assert.equal(assessPage(hour((place) => (place === 30 ? { cpuMs: spread(17) } : {}))).isGood, false);
    assert.equal(assessPage(hour((place) => (place === 30 ? { updatesPerSecond: 40 } : {}))).isGood, false);
  });

  it('fails its assessment when numbers or posts appear late', () => {
    const good = { firstPaintMs: [1_400, 300], firstNumberMs: [2_500, 900], postMs: [30, 40, 5_000] };
    assert.equal(isFastEnough(good), true);
    assert.equal(isFastEnough({ ...good, firstPaintMs: [1_400, 1_100] }), false);
    assert.equal(isFastEnough({ ...good, firstNumberMs: [2_500, 2_100] }), false);
    assert.equal(isFastEnough({ ...good, postMs: [30, 1_200, 1_300] }), false);
  });
});
