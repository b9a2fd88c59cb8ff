import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openKeyRegistry } from '../../../src/access/keys/key-registry.ts';
import { startQuotaPersistence } from '../../../src/access/limits/quota-persistence.ts';
import { createQuotas } from '../../../src/access/limits/quotas.ts';
import { steadyClock } from '../../../src/access/limits/steady-clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { type ManualClock, manualClock } from '../../support/clock.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

interface Opened {
  readonly report?: (error: unknown) => void;
  /** What the even clock showed when the machine was started. */
  readonly bootMono?: number;
}

describe('startQuotaPersistence', () => {
  const failed = (error: unknown) => assert.fail(String(error));
  /** A process that begins now. */
  const open = (
    { calls, keys }: ReturnType<typeof createMemoryStore>,
    clock: ManualClock,
    { report = failed, bootMono = 0 }: Opened = {},
  ) => {
    const now = steadyClock(clock);
    const quotas = createQuotas();
    const registry = openKeyRegistry(keys, clock.wall);
    const persistence = startQuotaPersistence({
      quotas,
      calls,
      keys: registry,
      now,
      wall: clock.wall,
      sinceBoot: () => clock.mono() - bootMono,
      report,
    });
    const call = (limit = 100) => quotas.charge(quotas.ofAddress('a', now()), now(), limit);
    return { quotas, registry, persistence, call, used: () => quotas.ofAddress('a', now()).used };
  };

  it('gives the next process what this one counted', async () => {
    const stored = createMemoryStore();
    const clock = manualClock(NOON);
    const first = open(stored, clock);
    first.call();
    await first.persistence.flush();
    clock.advance(400);
    first.call();
    await first.persistence.stop();
    clock.advance(60_000);
    const second = open(stored, clock);
    assert.equal(second.used(), 2);
    clock.advance(HOUR_MS - 60_400);
    assert.equal(second.call(2), true);
    assert.equal(second.call(2), false);
    await second.persistence.stop();
  });

  it('stores no call for longer than an hour', async () => {
    const stored = createMemoryStore();
    const clock = manualClock(NOON);
    const { call, persistence } = open(stored, clock);
    for (let minute = 0; minute < 200; minute++) {
      call();
      await persistence.flush();
      clock.advance(60_000);
    }
    assert.equal(stored.calls.all().length, 60);
    await persistence.stop();
  });

  /** Calls that come evenly at the limit, with restarts and settings of the clock between them. */
  const anyLife = fc.record({
    limit: fc.constantFrom(5, 36, 100),
    restarts: fc.array(fc.nat({ max: 220 }), { maxLength: 6 }),
    steps: fc.array(fc.tuple(fc.nat({ max: 220 }), fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS })), {
      maxLength: 4,
    }),
  });

  it('refuses no call that comes evenly, through restarts and settings of the clock', () =>
    fc.assert(
      fc.asyncProperty(anyLife, async ({ limit, restarts, steps }) => {
        const stored = createMemoryStore();
        const clock = manualClock(NOON);
        let process = open(stored, clock);
        for (let call = 0; call < 2.5 * limit; call++) {
          assert.equal(process.call(limit), true, `call ${call}`);
          assert.ok(process.used() <= limit);
          const known = process.used();
          for (const [at, stepMs] of steps) if (at === call) clock.step(stepMs);
          if (restarts.includes(call)) {
            await process.persistence.stop();
            process = open(stored, clock);
            assert.equal(process.used(), known, `after a restart at call ${call}`);
          }
          clock.advance(HOUR_MS / limit);
        }
        await process.persistence.stop();
      }),
      { numRuns: 60, examples: [[{ limit: 5, restarts: [1, 0], steps: [[0, -1]] }]] },
    ));

  it('never admits more than the limit in an hour after the clock was set back between two starts of the machine', async () => {
    const stored = createMemoryStore();
    const clock = manualClock(NOON);
    const first = open(stored, clock);
    for (let call = 0; call < 100; call++) assert.equal(first.call(), true);
    await first.persistence.stop();
    clock.advance(10_000);
    clock.step(-DAY_MS);
    const booted = { bootMono: clock.mono() };
    const second = open(stored, clock, booted);
    assert.equal(second.call(), false);
    clock.advance(HOUR_MS - 10_001);
    assert.equal(second.call(), false);
    await second.persistence.stop();
    // The second process stored them anew, so a third does not move them again.
    clock.advance(5_000);
    const third = open(stored, clock, booted);
    assert.equal(third.call(), false);
    clock.advance(5_001);
    assert.equal(third.call(), true);
    await third.persistence.stop();
  });

  for (const stepMs of [HOUR_MS - MINUTE_MS, -DAY_MS])
    it(`takes calls for as old as they are when the clock was set by ${stepMs} ms between two processes`, async () => {
      const stored = createMemoryStore();
      const clock = manualClock(NOON);
      const first = open(stored, clock);
      for (let call = 0; call < 100; call++) assert.equal(first.call(), true);
      await first.persistence.stop();
      clock.advance(10_000);
      clock.step(stepMs);
      for (const waitMs of [HOUR_MS / 2, HOUR_MS / 2 - 10_001]) {
        const next = open(stored, clock);
        assert.equal(next.call(), false);
        clock.advance(waitMs);
        assert.equal(next.call(), false);
        await next.persistence.stop();
      }
      clock.advance(1);
      const last = open(stored, clock);
      assert.equal(last.call(), true);
      await last.persistence.stop();
    });

  it('goes by the calendar where it is not stored how long the machine had run, or another start of it has run less', async () => {
    for (const hasBoot of [true, false]) {
      const stored = createMemoryStore();
      const clock = manualClock(NOON);
      const first = open(stored, clock);
      for (let call = 0; call < 100; call++) assert.equal(first.call(), true);
      await first.persistence.stop();
      const [batch] = stored.calls.all();
      assert.ok(batch);
      if (!hasBoot) await stored.calls.replace({ ...batch, sinceBoot: null });
      clock.advance(HOUR_MS - 1);
      const second = open(stored, clock, { bootMono: hasBoot ? clock.mono() - 1_000 : 0 });
      assert.equal(second.call(), false);
      clock.advance(1);
      assert.equal(second.call(), true);
      await second.persistence.stop();
    }
  });

  it('writes everything anew after a write that failed, and reports the failure once', async () => {
    const stored = createMemoryStore();
    const clock = manualClock(NOON);
    const reported: unknown[] = [];
    const { call, persistence } = open(stored, clock, { report: (error) => reported.push(error) });
    call();
    await persistence.flush();
    const { append, replace } = stored.calls;
    stored.calls.append = stored.calls.replace = () => Promise.reject(new Error('full'));
    call();
    await persistence.flush();
    call();
    await persistence.flush();
    assert.equal(reported.length, 1);
    Object.assign(stored.calls, { append, replace });
    await persistence.stop();
    assert.deepEqual(stored.calls.all(), [
      { at: NOON, sinceBoot: clock.mono(), callers: [{ caller: 'a:a', calls: [[NOON, 3]] }] },
    ]);
  });

  it('stores the last use of keys each minute and at the end', async () => {
    const stored = createMemoryStore();
    const clock = manualClock(NOON);
    const { registry, persistence } = open(stored, clock);
    const holder = registry.find((await registry.create({ tier: 'FREE', name: '', limit: null })).key);
    assert.ok(holder);
    const lastUsed = () => stored.keys.all()[0]?.lastUsedAt;
    holder.lastUsedAt = NOON + 1;
    await persistence.flush();
    assert.equal(lastUsed(), null);
    clock.advance(60_000);
    await persistence.flush();
    assert.equal(lastUsed(), NOON + 1);
    holder.lastUsedAt = NOON + 2;
    await persistence.stop();
    assert.equal(lastUsed(), NOON + 2);
  });
});
