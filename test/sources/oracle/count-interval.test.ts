import assert from 'node:assert/strict';
import { countIntervalMs } from '../../../src/sources/oracle/count-interval.ts';
import { createPace } from '../../../src/sources/pace.ts';
import { pollInTurn } from '../../../src/sources/poll-in-turn.ts';
import { SOURCE_SETTINGS } from '../../../src/sources/settings.ts';
import { spreadOf } from '../../../src/sources/spread.ts';
import { ACCOUNT } from '../../support/endpoints.ts';
import { pageLines } from '../../support/page-lines.ts';
import { takeIntervals } from '../../support/virtual-intervals.ts';

const GAP_MS = 300;
const WINDOWS = 3;

const followed = (count: number) => ({
  accounts: Array.from({ length: count }, () => ACCOUNT),
  oracle: { baseUrl: '', gapMs: GAP_MS },
});

describe('countIntervalMs', () => {
  it('is the period while the turns of all accounts fit into it', () => {
    for (const count of [1, 2, 8]) {
      assert.equal(countIntervalMs(followed(count), WINDOWS), SOURCE_SETTINGS.oraclePeriodMs);
    }
    const free = { ...followed(1_000), oracle: { baseUrl: '' } };
    assert.equal(countIntervalMs(free, WINDOWS), SOURCE_SETTINGS.oraclePeriodMs);
  });

  it('grows with the accounts and their windows', () => {
    const intervals = Array.from({ length: 400 }, (_, count) => countIntervalMs(followed(count), WINDOWS));
    assert.deepEqual(
      intervals,
      intervals.toSorted((a, b) => a - b),
    );
    assert.ok(countIntervalMs(followed(50), 1) < countIntervalMs(followed(50), 2));
  });

  it('is what the page of the sources says', () => {
    const page = pageLines('src/sources/README.md');
    const rows = [8, 20, 50, 100, 200].map(
      (count) => `| ${count} | ${Math.round(countIntervalMs(followed(count), WINDOWS) / 1_000)} s |`,
    );
    assert.deepEqual(
      rows.filter((row) => !page.includes(row)),
      [],
    );
    assert.equal(countIntervalMs(followed(375), WINDOWS), 900_000);
  });

  for (const count of [9, 40]) {
    it(`is about what sources that poll in turns come to with ${count} accounts`, async () => {
      const intervals = takeIntervals();
      const mono = { now: 0 };
      const pace = createPace({ gapMs: GAP_MS, mono: () => mono.now });
      let counts = 0;
      const ask = () => pace.run(async () => {});
      async function readCounts() {
        for (let window = 0; window < WINDOWS; window++) await ask();
        counts += 1;
      }
      const { trackingsPeriodMs, oraclePeriodMs, listPeriodMs } = SOURCE_SETTINGS;
      const runs = Array.from({ length: count }, (_, place) => [
        pollInTurn(
          [
            { periodMs: trackingsPeriodMs, read: ask },
            { periodMs: oraclePeriodMs, read: readCounts },
          ],
          spreadOf(place),
        ).subscribe(),
        pollInTurn([{ periodMs: listPeriodMs, read: ask }], spreadOf(place)).subscribe(),
      ]).flat();
      async function pass(ms: number) {
        for (const until = mono.now + ms; mono.now < until; ) {
          mono.now += GAP_MS / 3;
          intervals.advance(GAP_MS / 3);
          await new Promise(setImmediate);
        }
      }
      try {
        await pass(120_000);
        counts = 0;
        const spanMs = 240_000;
        await pass(spanMs);
        const measuredMs = (spanMs * count) / counts;
        const ratio = measuredMs / countIntervalMs(followed(count), WINDOWS);
        assert.ok(ratio > 0.8 && ratio < 1.25, `${measuredMs} ms, ${ratio} of what is said`);
      } finally {
        for (const run of runs) run.unsubscribe();
        intervals.restore();
      }
    });
  }
});
