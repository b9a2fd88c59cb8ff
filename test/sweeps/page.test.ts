import assert from 'node:assert/strict';
import { requireBrowser } from '../dashboard/browsing.ts';
import { judgePage, type PageSample, sweepPage } from './page.ts';

describe('a page that is left open', () => {
  it('draws 50 updates a second in little time and keeps none of them', async function () {
    this.timeout(60_000);
    requireBrowser(this);
    const samples = await sweepPage({ samples: 2, everyMs: 2_000, lookMs: 1_000, report: () => undefined });
    const [first, last] = samples;
    assert.ok(first && last);
    const updates = (first.updatesPerSecond + last.updatesPerSecond) / 2;
    assert.ok(updates >= 50, `${updates} a second`);
    // Some 130 updates of 1 KB came in between; code that has just been compiled is on the heap as well.
    assert.ok(last.heapBytes - first.heapBytes < 1_000_000, `${first.heapBytes} and ${last.heapBytes} bytes`);
    assert.equal(last.listeners, first.listeners);
    // Of so few frames the longest would be chance.
    assert.ok(last.cpuMs.p95 < 16, `${last.cpuMs.p95} ms`);
  });

  it('is found at fault when it grows, when its frames are long, and when too little came', () => {
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
    assert.equal(judgePage(hour(() => ({}))).isGood, true);
    assert.equal(judgePage(hour((place) => ({ heapBytes: 5_000_000 + place * 12_000 }))).isGood, false);
    assert.equal(judgePage(hour((place) => (place === 30 ? { cpuMs: spread(17) } : {}))).isGood, false);
    assert.equal(judgePage(hour((place) => (place === 30 ? { updatesPerSecond: 40 } : {}))).isGood, false);
  });
});
