import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRng } from '../../src/world/rng.ts';
import { slopePerHour } from './slope.ts';
import { growthOf, soak } from './soak.ts';

describe('a soak', () => {
  it('finds the slope of a line, whatever a few of the points say', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000, max: 1_000 }),
        fc.integer({ min: -1_000, max: 1_000 }),
        fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { maxLength: 2 }),
        (perMinute, start, wrong) => {
          const points = Array.from({ length: 10 }, (_, minute) => ({
            atMs: minute * 60_000,
            value: start + perMinute * minute,
          }));
          for (const [index, value] of wrong.entries()) {
            points.splice(index * 4, 1, { atMs: index * 4 * 60_000, value });
          }
          const found = slopePerHour(points);
          assert.ok(found !== undefined && Math.abs(found.perHour - perMinute * 60) < 1e-6, `${found}`);
          assert.ok(found.low <= found.perHour && found.perHour <= found.high);
        },
      ),
    );
  });

  it('finds the true slope within the range of confidence nearly always, although garbage is collected now and then', () => {
    const rng = createRng(1, 'slope');
    const RUNS = 300;
    const TRUE_MB = 1;
    const found = Array.from({ length: RUNS }, () => {
      let garbage = 0;
      const points = Array.from({ length: 90 }, (_, minute) => {
        garbage = garbage > 12 ? 0 : garbage + rng.exponential(4);
        return { atMs: minute * 60_000, value: 100 + (TRUE_MB * minute) / 60 + garbage };
      });
      return slopePerHour(points);
    });
    const right = found.filter(
      (slope) => slope !== undefined && slope.low <= TRUE_MB && TRUE_MB <= slope.high,
    );
    assert.ok(right.length >= 0.9 * RUNS, `${right.length} of ${RUNS}`);
  });

  it('has no slope of less than two instants', () => {
    assert.equal(slopePerHour([]), undefined);
    assert.equal(slopePerHour([{ atMs: 1, value: 2 }]), undefined);
  });

  it('leaves the first half of a run out of its growth', () => {
    const rows = Array.from({ length: 20 }, (_, minute) => {
      const bytes = minute < 10 ? minute * 1_000 : 9_000;
      return {
        atMs: minute * 60_000,
        rssBytes: bytes,
        anonymousBytes: bytes,
        fileBytes: 0,
        heapPagesBytes: bytes,
        heapBytes: bytes,
        storeBytes: bytes,
      };
    });
    assert.deepEqual(growthOf(rows).rssBytes, { perHour: 0, low: 0, high: 0 });
  });

  it('asks the program, reads its feed, reaches its world, and sees what it takes of the machine', async function () {
    if (process.platform !== 'linux') this.skip();
    this.timeout(180_000);
    const lines: string[] = [];
    const rows = await soak({
      durationMs: 4_000,
      rowMs: 2_000,
      lookMs: 500,
      historyDays: 3,
      accounts: 2,
      isEmbedded: true,
      data: undefined,
      requestsPerSecond: 40,
      sockets: 4,
      streams: 1,
      seed: 7,
      file: undefined,
      report: (line) => lines.push(line),
    });
    assert.ok(rows.length > 0);
    for (const row of rows) {
      assert.equal(row.rssBytes > row.heapBytes, true);
      for (const figure of [row.heapBytes, row.openFiles, row.threads, row.storeBytes, row.loopDelayMs]) {
        assert.ok(figure > 0, JSON.stringify(row));
      }
    }
    assert.match(lines[0] ?? '', /\/control$/);
    const comings = rows.reduce((sum, row) => sum + row.comings, 0);
    assert.ok(comings >= 5, `${comings} readers came`);
    const answers = rows.flatMap(({ statuses }) => Object.entries(statuses));
    const of = (status: string) =>
      answers.filter(([each]) => each === status).reduce((sum, [, n]) => sum + n, 0);
    assert.ok(of('200') > 0, JSON.stringify(answers));
    assert.equal(of('500'), 0, JSON.stringify(answers));
  });
});
