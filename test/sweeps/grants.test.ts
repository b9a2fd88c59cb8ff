import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRng } from '../../src/world/rng.ts';
import { HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepGrants, worstHour } from './grants.ts';
import { createGrantsWorld } from './grants-world.ts';

const SAMPLE = { arrivals: 40_000, worldArrivals: 20_000, spanMs: 1.1 * HOUR_MS };

describe('callers who try to get more than their limit over four edges', () => {
  it('never get it in any 3,600 s, and where all is well get what one machine lets in', async function () {
    this.timeout(300_000);
    await withSeed(async (seed) => {
      const { calm, rough } = sweepGrants({ ...SAMPLE, seed });
      assert.ok((calm.admitted[10_000] ?? 0) > 5_000, `${calm.admitted[10_000]} let in`);
      assert.ok(rough.engineKills > 0, `${rough.engineKills} kills`);
    });
  });

  const anyEdge = fc.nat({ max: 3 });
  const anyStep = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('call'),
        edge: anyEdge,
        calls: fc.integer({ min: 1, max: 40 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('wait'),
        edge: anyEdge,
        calls: fc.oneof(
          fc.nat({ max: 50 }),
          fc.nat({ max: 2 * MINUTE_MS }),
          fc.integer({ min: HOUR_MS - 2 * MINUTE_MS, max: HOUR_MS }),
        ),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constantFrom('kill engine', 'start engine', 'cut', 'join', 'kill edge', 'close edge'),
        edge: anyEdge,
        calls: fc.constant(0),
      }),
    },
  );

  it('never get it, whatever is killed or cut off when', function () {
    this.timeout(300_000);
    const anyLimit = fc.constantFrom(1, 9, 40, 100);
    fc.assert(
      fc.property(anyLimit, fc.nat(), fc.array(anyStep, { maxLength: 40 }), (limit, seed, steps) => {
        const network = { delayMs: 5, lost: 0.05, doubled: 0.1, late: 0.05, lateMs: 2_000 };
        const startAt = Date.UTC(2026, 0, 1);
        const random = createRng(seed).next;
        const world = createGrantsWorld({ startAt, edges: 4, network, random, placeMs: 10 * MINUTE_MS });
        const times: number[] = [];
        world.runUntil(startAt + 3_000);
        for (const { does, edge, calls } of steps) {
          if (does === 'kill engine') world.killEngine();
          else if (does === 'start engine') world.startEngine();
          else if (does === 'kill edge') world.killEdge(edge);
          else if (does === 'close edge') world.closeEdge(edge);
          else if (does === 'call') {
            for (let call = 0; call < calls; call++) {
              world.call(edge, 'k:one', limit, ({ kind }) => kind === 'admitted' && times.push(world.now()));
            }
          } else if (does === 'wait') world.runUntil(world.now() + calls);
          else world.cut(edge, does === 'cut');
        }
        world.runUntil(world.now() + 2_000);
        assert.ok(
          worstHour(times) <= limit,
          `${worstHour(times)} calls within 3,600 s, the limit is ${limit}`,
        );
      }),
      { numRuns: 10 },
    );
  });
});
