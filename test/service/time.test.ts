import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createClient } from '../../src/client/node.ts';
import { takeCheckpoint, thinCheckpoints } from '../../src/engine/checkpoints.ts';
import { recover } from '../../src/engine/recover.ts';
import { createRetention } from '../../src/engine/retention.ts';
import { createTurns } from '../../src/engine/turns.ts';
import { openTime, timeFault } from '../../src/service/time.ts';
import { createLatest } from '../../src/views/latest.ts';
import { openPast } from '../../src/views/past.ts';
import { DAY_MS, type Fact, HOUR_MS, MINUTE_MS, phaseAt } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';
import { event, post, settings } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { openStage } from '../support/service.ts';

const NOON = Date.UTC(2026, 10, 15, 12);
const RETENTION_DAYS = 2;
const WINDOWS = [
  { eventId: 1, startAt: NOON - DAY_MS, endAt: NOON + 3 * DAY_MS },
  { eventId: 2, startAt: NOON + 2 * HOUR_MS, endAt: NOON + 30 * DAY_MS },
  { eventId: 3, startAt: NOON + 20 * DAY_MS, endAt: NOON + 60 * DAY_MS },
];

const listed = (window: (typeof WINDOWS)[number]) => event({ ...window, slug: `e${window.eventId}` });

/** An engine on a machine whose calendar anybody may set, beside a world that knows the time and is not always heard. */
async function openMachine() {
  const store = createMemoryStore();
  /** True time by seq. */
  const trueAt: number[] = [];
  let truth = NOON;
  let calendarMs = 0;
  let isHeard = true;
  let engine = await start();

  async function start() {
    const startedAt = truth;
    const time = openTime({
      wall: () => truth + calendarMs,
      mono: () => truth - startedAt,
      sinceBoot: () => truth - NOON + HOUR_MS,
    });
    const { clock } = time;
    const latest = createLatest();
    const { state } = await recover(store, latest);
    const turns = createTurns({ ...store, latest, state, clock, request: () => {}, report: () => {} });
    const prune = createRetention({
      store,
      retentionDays: RETENTION_DAYS,
      mono: clock.mono,
      agreedNow: time.agreedNow,
      isStopping: () => false,
      report: () => {},
    });
    return { time, clock, latest, state, turns, prune, past: openPast(store, latest), checkpointAt: truth };
  }

  async function accept(...facts: readonly Fact[]) {
    await engine.turns.accept(facts);
    for (let seq = trueAt.length; seq <= store.journal.head; seq++) trueAt[seq] = truth;
  }

  /** What the source of events delivers again, as the market lists it and the log takes it to be over. */
  function reopened(): readonly Fact[] {
    const { latest, clock } = engine;
    return WINDOWS.filter(
      ({ eventId, endAt }) =>
        latest.get('events', String(eventId))?.record.phase === 'ended' && clock.wall() < endAt,
    ).map(listed);
  }

  return {
    store,
    trueAt,
    truth: () => truth,
    engine: () => engine,
    accept,
    setCalendar(ms: number) {
      calendarMs = ms;
    },
    setHeard(is: boolean) {
      isHeard = is;
    },
    async pass(ms: number) {
      const until = truth + ms;
      while (truth < until) {
        truth = Math.min(until, truth + 10 * MINUTE_MS);
        const { time, turns, state, prune } = engine;
        if (isHeard)
          time.onHeaders?.('https://world.test/', new Headers({ date: new Date(truth).toUTCString() }));
        await accept(
          ...reopened(),
          { kind: 'tick', ages: { 'posts:a': 400 } },
          post({ id: String(truth), createdAt: truth - 400 }),
        );
        if (truth - engine.checkpointAt >= 6 * HOUR_MS) {
          engine = { ...engine, checkpointAt: truth };
          const taken = await takeCheckpoint(store, state, turns.lastAt());
          if (taken) await store.checkpoints.save(taken);
          await thinCheckpoints(store);
        }
        await prune();
      }
    },
    async restart() {
      await engine.turns.stop();
      engine = await start();
      await accept(settings(), { kind: 'tick', ages: {} });
    },
  };
}

type Machine = Awaited<ReturnType<typeof openMachine>>;

async function openWithEvents() {
  const machine = await openMachine();
  await machine.accept(settings(), ...WINDOWS.map(listed));
  await machine.pass(HOUR_MS);
  return machine;
}

function phases({ engine }: Machine) {
  return WINDOWS.map(({ eventId }) => engine().latest.get('events', String(eventId))?.record.phase);
}

const phasesAt = (at: number) => WINDOWS.map((window) => phaseAt({ ...window, isClosed: false }, at));

/** `behindMs`: how far the calendar was behind at most while nobody could know. */
function checkLog({ store, trueAt, truth }: Machine, behindMs = 0) {
  let last = 0;
  for (const { receivedAt } of store.journal.read(1)) {
    assert.ok(receivedAt >= last, `the log ran back from ${last} to ${receivedAt}`);
    last = receivedAt;
  }
  const dropped = trueAt.slice(1, store.journal.tail);
  for (const at of dropped) {
    assert.ok(
      at < truth() + behindMs - RETENTION_DAYS * DAY_MS,
      `dropped after ${(truth() - at) / HOUR_MS} h`,
    );
  }
}

const anyStep = fc.record({
  byMs: fc.oneof(
    fc.constantFrom(50 * HOUR_MS, 60 * HOUR_MS, -HOUR_MS, 1_000 * DAY_MS, 0),
    fc.integer({ min: -100 * HOUR_MS, max: 100 * HOUR_MS }),
  ),
  forMinutes: fc.constantFrom(1, 5, 30, 600, 3_000),
  isHeard: fc.boolean(),
  isRestart: fc.boolean(),
});

describe('a calendar that is set', () => {
  it('for a while leaves the log, its times and the events alone, as long as the world is heard', async () => {
    const machine = await openWithEvents();
    const head = machine.store.journal.head;
    for (const byMs of [50 * HOUR_MS, 60 * HOUR_MS, -HOUR_MS]) {
      machine.setCalendar(byMs);
      await machine.pass(HOUR_MS);
      assert.deepEqual(phases(machine), phasesAt(machine.truth()));
      assert.match(timeFault(machine.engine().time.doubt(), 0) ?? '', /calendar of the machine was set/);
    }
    machine.setCalendar(0);
    await machine.pass(HOUR_MS);
    assert.equal(machine.engine().time.doubt(), undefined);
    for (const { seq, receivedAt, aheadMs } of machine.store.journal.read(head)) {
      assert.equal(receivedAt, machine.trueAt[seq]);
      assert.equal(aheadMs, undefined);
    }
  });

  it('ahead at a start drops nothing of the log, whether the world is heard or not', async () => {
    const machine = await openWithEvents();
    await machine.pass(1.9 * DAY_MS);
    machine.setCalendar(50 * HOUR_MS);
    for (const isHeard of [true, false]) {
      machine.setHeard(isHeard);
      await machine.restart();
      await machine.pass(2 * HOUR_MS);
      assert.equal(machine.store.journal.tail, 1);
    }
    // The same log is dropped in time once the clocks agree.
    machine.setHeard(true);
    machine.setCalendar(0);
    await machine.restart();
    await machine.pass(8 * DAY_MS);
    assert.ok(machine.store.journal.tail > 1);
    checkLog(machine);
  });

  it('ahead at a start, and set right later, brings the events back and shows no later data in the past', async () => {
    const machine = await openWithEvents();
    const asOfAt = machine.truth() + 30 * MINUTE_MS;
    machine.setCalendar(80 * HOUR_MS);
    await machine.restart();
    await machine.pass(20 * MINUTE_MS);
    assert.equal(phases(machine)[0], 'ended');
    const before = machine.engine().past.seqAt(asOfAt);

    machine.setCalendar(0);
    await machine.restart();
    await machine.pass(HOUR_MS);
    assert.deepEqual(phases(machine), phasesAt(machine.truth()));
    assert.equal(machine.engine().past.seqAt(asOfAt), before);
    const aheadMs = machine.engine().turns.lastAt() - machine.engine().clock.wall();
    assert.match(timeFault(undefined, aheadMs) ?? '', /^the log is 3 days ahead of the calendar/);

    await machine.pass(4 * DAY_MS);
    assert.equal(machine.engine().turns.lastAt(), machine.truth());
    checkLog(machine);
  });

  it('in any way never makes the log run back, drop what is young, or change what was said of the past', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 6 }), async (steps) => {
        const machine = await openWithEvents();
        const said = new Map<number, number>();
        // From the first one on that nobody could know of, the world may agree with no calendar, and is not believed either.
        const unnoticed = steps.findIndex(({ isHeard, isRestart }) => !isHeard || isRestart);
        const behind = unnoticed < 0 ? [] : steps.slice(unnoticed).map(({ byMs }) => -byMs);
        const behindMs = Math.max(0, ...behind);
        const askAgain = () => {
          const { past, clock } = machine.engine();
          const now = clock.wall();
          for (const agoMs of [1, HOUR_MS, DAY_MS]) {
            const at = now - agoMs;
            const seq = past.seqAt(at);
            if (seq >= machine.store.journal.tail && !said.has(at)) said.set(at, seq);
          }
          for (const [at, seq] of said) {
            if (at < now && seq >= machine.store.journal.tail)
              assert.equal(past.seqAt(at), seq, `as of ${at}`);
          }
        };
        for (const { byMs, forMinutes, isHeard, isRestart } of steps) {
          machine.setHeard(isHeard);
          machine.setCalendar(byMs);
          if (isRestart) await machine.restart();
          await machine.pass(forMinutes * MINUTE_MS);
          askAgain();
          checkLog(machine, behindMs);
        }
        machine.setHeard(true);
        machine.setCalendar(0);
        await machine.pass(30 * MINUTE_MS);
        askAgain();
        checkLog(machine, behindMs);
        assert.equal(machine.engine().clock.wall(), machine.truth());
        assert.deepEqual(phases(machine), phasesAt(machine.truth()));
      }),
      { numRuns: 15 },
    );
  });
});

describe('a service on a machine whose calendar is set', () => {
  it('serves the same events at the same time, and says what is wrong', async () => {
    let calendarMs = 0;
    const stage = await openStage({ startAt: NOON, historyDays: 3, calendarMs: () => calendarMs });
    try {
      const client = createClient({ url: stage.url(), key: 'demo_pro' });
      const active = async () => (await client.meta('account_a')).data.map(({ event_id }) => event_id);
      await eventually('the time is confirmed', async () => (await client.health()).clock === undefined);
      const before = await active();
      assert.ok(before.length > 0);
      for (const byMs of [61 * HOUR_MS, -50 * HOUR_MS]) {
        calendarMs = byMs;
        await eventually('it is noticed', async () => (await client.health()).clock !== undefined);
        const { timestamp, status, clock } = await client.health();
        assert.ok(Math.abs(timestamp - stage.clock.wall()) < 10 * MINUTE_MS);
        assert.equal(status, 'degraded');
        assert.match(
          clock ?? '',
          byMs > 0 ? /^the calendar .* 3 days ahead of / : /^the calendar .* 2 days behind /,
        );
        const now = await active();
        for (const event of before) assert.ok(now.includes(event), `event ${event} is lost`);
      }
      calendarMs = 0;
      await eventually('it is right again', async () => (await client.health()).clock === undefined);
    } finally {
      await stage.close();
    }
  });

  it('starts days ahead with its world, and has the events of the present again once both are set right', async () => {
    const stage = await openStage({ startAt: NOON, historyDays: 3 });
    const client = () => createClient({ url: stage.url(), key: 'demo_pro' });
    const active = async () => (await client().meta('account_a')).data.map(({ event_id }) => event_id);
    const crypto = async () => (await client().crypto()).data.map(({ event_id }) => event_id);
    try {
      await eventually('crypto events are known', async () => (await crypto().catch(() => [])).length > 0);
      const [before, cryptoBefore] = [await active(), await crypto()];
      const asOf = stage.clock.wall();

      stage.skip(60 * HOUR_MS);
      await stage.restart();
      await eventually('the log is days ahead', async () => {
        const { data } = await client().meta('account_a');
        return data.some(({ as_of }) => as_of.ts > asOf + 50 * HOUR_MS);
      });
      const { data: then } = await client().meta('account_a', { as_of: asOf });
      stage.skip(-60 * HOUR_MS);
      await stage.restart();
      const areBack = (now: readonly number[], were: readonly number[]) =>
        were.every((each) => now.includes(each));
      await eventually('they are back', async () => areBack(await active().catch(() => []), before));
      await eventually('so are those of crypto', async () =>
        areBack(await crypto().catch(() => []), cryptoBefore),
      );
      const { data: again } = await client().meta('account_a', { as_of: asOf });
      assert.deepEqual(again, then);
      const { clock } = await client().health();
      assert.match(clock ?? '', /^the log is \d days ahead of the calendar/);
    } finally {
      await stage.close();
    }
  });
});
