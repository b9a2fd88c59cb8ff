import assert from 'node:assert/strict';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Clock } from '../../src/engine/clock.ts';
import { createTurns, type Publishing, type TurnReport } from '../../src/engine/turns.ts';
import { StoreError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest, type LatestWriter } from '../../src/views/latest.ts';
import { emptyState, type Fact, type Output, type OutputOf } from '../../streams/internal.ts';
import { manualClock } from '../support/clock.ts';
import { event, partition, post, settings } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

function setUp(
  store: Store = createMemoryStore(),
  clock: Clock = manualClock(1_000_000),
  latest: LatestWriter = createLatest(),
) {
  const reports: TurnReport[] = [];
  const requests: OutputOf<'requests'>[] = [];
  const turns = createTurns({
    journal: store.journal,
    outputs: store.outputs,
    latest,
    state: emptyState(),
    clock,
    request: (request) => requests.push(request),
    report: (report) => reports.push(report),
    retryMs: 0,
  });
  return { store, latest, reports, requests, turns };
}

const fact = (id: string): Fact => post({ id });

describe('turns', () => {
  it('publish a fact once it is in the log and its outputs are kept', async () => {
    const { store, latest, turns } = setUp();
    const seen: (readonly Output[])[] = [];
    latest.change$.subscribe((outputs) => {
      assert.equal(store.journal.head, 2);
      assert.equal(store.outputs.upTo, 2);
      seen.push(outputs);
    });
    await turns.accept([settings(), fact('11')]);
    assert.equal(latest.posts('a').slice(0, 1)[0]?.record.id, '11');
    assert.equal(seen.length, 1);
  });

  it('tell readers how long ago the ages of a tick were taken, before they are told of it', async () => {
    const store = createMemoryStore();
    const clock = manualClock(1_000_000);
    const { append } = store.journal;
    store.journal.append = async (observations) => {
      // As a disk that is slow does.
      clock.advance(3_000);
      await append(observations);
    };
    const { latest, turns } = setUp(store, clock, createLatest(undefined, clock));
    clock.advance(60_000);
    const told: number[] = [];
    latest.change$.subscribe(() => told.push(latest.sinceTick()));
    await turns.accept([settings(), { kind: 'tick', ages: {} }]);
    await turns.accept([fact('11')]);
    assert.deepEqual(told, [3_000, 6_000]);
  });

  it('let time in the log stand still while the calendar is behind it, over a restart too', async () => {
    const store = createMemoryStore();
    const clock = manualClock(1_000_000);
    const first = setUp(store, clock);
    await first.turns.accept([settings()]);
    clock.step(-5_000);
    await first.turns.accept([fact('11')]);
    assert.equal(first.latest.get('posts', '11')?.at, 995_000);
    assert.equal(first.latest.at, 995_000);
    clock.advance(2_000);
    const second = setUp(store, clock);
    await second.turns.accept([fact('12')]);
    clock.advance(4_000);
    await second.turns.accept([fact('13')]);
    assert.deepEqual(
      Array.from(store.journal.read(1), ({ receivedAt, aheadMs }) => [receivedAt, aheadMs]),
      [
        [1_000_000, undefined],
        [1_000_000, 5_000],
        [1_000_000, 3_000],
        [1_001_000, undefined],
      ],
    );
    assert.equal(second.turns.lastAt(), 1_001_000);
  });

  it('hand a simulation request out once the turn is durable, and publish none', async () => {
    const { store, latest, requests, turns } = setUp();
    const streams: string[] = [];
    latest.change$.subscribe((outputs) => {
      assert.deepEqual(requests, []);
      streams.push(...outputs.map(({ stream }) => stream));
    });
    await turns.accept([
      settings(),
      event({ eventId: 3, startAt: 0, endAt: 9_000_000, buckets: partition(3) }),
      { kind: 'coverage', account: 'a', fromAt: 0 },
      { kind: 'tick', ages: { 'posts:a': 0 } },
    ]);
    assert.deepEqual(
      requests.map(({ key, seq, record }) => [key, seq, record.type]),
      [['3', 4, 'forecast']],
    );
    assert.equal(store.outputs.upTo, 4);
    assert.ok(streams.includes('events') && !streams.includes('requests'));
  });

  it('take all that came in meanwhile as one block', async () => {
    const { store, turns, reports } = setUp();
    await turns.accept([settings()]);
    await Promise.all(['1', '2', '3'].map((id) => turns.accept([fact(id)])));
    assert.deepEqual(
      reports.map((report) => (report.type === 'turn' ? report.observations : report.type)),
      [1, 1, 2],
    );
    assert.deepEqual(
      Array.from(store.journal.read(1), ({ seq }) => seq),
      [1, 2, 3, 4],
    );
  });

  it('leave what waits beyond a thousand facts to the next block, and lose or reorder nothing of it', async () => {
    const { store, turns, reports } = setUp();
    const some = (from: number) => Array.from({ length: 600 }, (_, index) => fact(String(from + index)));
    await Promise.all([
      turns.accept([settings()]),
      ...[1_000, 2_000, 3_000].map((id) => turns.accept(some(id))),
    ]);
    assert.deepEqual(
      reports.map((report) => (report.type === 'turn' ? report.observations : report.type)),
      [1, 1_200, 600],
    );
    const ids = Array.from(store.journal.read(2), ({ fact: read }) => (read.kind === 'post' ? read.id : ''));
    const expected = [1_000, 2_000, 3_000].flatMap(some);
    assert.deepEqual(
      ids,
      expected.map((each) => (each.kind === 'post' ? each.id : '')),
    );
  });

  it('store and publish what takes the graph long in parts, each once it is kept, with the same outputs', async () => {
    const facts = [settings(), ...['11', '12', '13', '14'].map(fact), { kind: 'tick', ages: {} } as const];
    const runWith = async (stepMs: number) => {
      const store = createMemoryStore();
      let mono = 0;
      const clock = {
        wall: () => 1_000_000,
        mono: () => {
          mono += stepMs;
          return mono;
        },
      };
      const { latest, reports, turns } = setUp(store, clock);
      const published: Output[] = [];
      const parts: number[] = [];
      latest.change$.subscribe((outputs) => {
        published.push(...outputs);
        parts.push(latest.seq);
        assert.equal(latest.posts('a').length, Math.max(0, Math.min(latest.seq, 5) - 1));
        assert.ok(store.outputs.upTo <= latest.seq && store.journal.head === facts.length);
      });
      await turns.accept(facts);
      const reported = reports.flatMap((report) => (report.type === 'turn' ? report.outputs : []));
      assert.deepEqual(reported, published);
      return { parts, published };
    };
    const whole = await runWith(0);
    const inParts = await runWith(15);
    assert.deepEqual(whole.parts, [facts.length]);
    assert.ok(inParts.parts.length > 1 && inParts.parts.at(-1) === facts.length);
    assert.deepEqual(inParts.published, whole.published);
  });

  it('go on with the graph while a part is stored, one part at a time, and end with the first that fails', async () => {
    const facts = [settings(), ...['11', '12', '13', '14'].map(fact)];
    for (const failing of [undefined, 2]) {
      const store = createMemoryStore();
      let mono = 0;
      const clock = {
        wall: () => 1_000_000,
        mono: () => {
          mono += 15;
          return mono;
        },
      };
      const kept: number[] = [];
      let underWay = 0;
      let hasGoneOn = false;
      const outputs = {
        ...store.outputs,
        async append(given: readonly Output[], upTo: number) {
          underWay += 1;
          assert.equal(underWay, 1);
          const begunAt = mono;
          await new Promise((resolve) => setImmediate(resolve));
          hasGoneOn ||= mono > begunAt;
          underWay -= 1;
          if (kept.length === failing) throw new Error('a part that cannot be kept');
          kept.push(upTo);
          await store.outputs.append(given, upTo);
        },
      };
      const { latest, turns } = setUp({ ...store, outputs }, clock);
      latest.change$.subscribe((published) => {
        if (published.some(({ stream }) => stream === 'posts')) assert.equal(latest.seq, kept.at(-1));
      });
      const accepted = turns.accept(facts);
      if (failing === undefined) await accepted;
      else await assert.rejects(accepted, /a part that cannot be kept/);
      assert.equal(underWay, 0);
      assert.ok(hasGoneOn);
      assert.equal(kept.length, failing ?? kept.length);
      assert.equal(latest.seq, kept.at(-1));
    }
  });

  it('write no outputs when only the ages moved', async () => {
    const { store, turns, latest } = setUp();
    await turns.accept([settings()]);
    await turns.accept([{ kind: 'tick', ages: {} }]);
    assert.equal(store.journal.head, 2);
    assert.equal(store.outputs.upTo, 0);
    assert.equal(latest.seq, 2);
  });

  it('make no turn of nothing', async () => {
    const { store, turns } = setUp();
    await turns.accept([]);
    assert.equal(store.journal.head, 0);
  });

  it('hold facts until a full disk takes them, and keep their order', async () => {
    const store = createMemoryStore();
    let refusals = 3;
    const journal = Object.create(store.journal, {
      append: {
        value: async (observations: Parameters<typeof store.journal.append>[0]) => {
          if (refusals-- > 0) throw new StoreError('STORE_FULL', 'no space left on the disk');
          await store.journal.append(observations);
        },
      },
    });
    const { turns, reports, latest } = setUp({ ...store, journal });
    await Promise.all([turns.accept([settings()]), turns.accept([fact('1')]), turns.accept([fact('2')])]);
    assert.equal(reports.filter((report) => report.type === 'refused_write').length, 3);
    assert.deepEqual(
      Array.from(latest.posts('a'), ({ record }) => record.id),
      ['2', '1'],
    );
  });

  it('publish nothing whose outputs are not kept yet', async () => {
    const store = createMemoryStore();
    const { latest, turns } = setUp({
      ...store,
      outputs: Object.create(store.outputs, {
        append: {
          value: async () => {
            assert.equal(latest.posts('a').length, 0);
          },
        },
      }),
    });
    await turns.accept([settings(), fact('1')]);
    assert.equal(latest.posts('a').length, 1);
  });

  it('finish what was accepted before they stop, and take nothing after', async () => {
    const { turns, latest } = setUp();
    const accepted = turns.accept([settings(), fact('1')]);
    await turns.stop();
    await accepted;
    assert.equal(latest.posts('a').length, 1);
    await assert.rejects(turns.accept([fact('2')]), { code: 'STORE_CLOSING' });
  });

  it('take nothing more once outputs could not be kept, so that a recovery finds what is missing', async () => {
    const store = createMemoryStore();
    let isBroken = false;
    const outputs = Object.create(store.outputs, {
      append: {
        value: async (...given: Parameters<typeof store.outputs.append>) => {
          if (isBroken) throw new TypeError('a bug of the store');
          await store.outputs.append(...given);
        },
      },
    });
    const { turns, reports } = setUp({ ...store, outputs });
    await turns.accept([settings()]);
    isBroken = true;
    const lost = turns.accept([fact('1')]);
    const next = turns.accept([fact('2')]);
    await assert.rejects(lost, TypeError);
    isBroken = false;
    await assert.rejects(next, TypeError);
    await assert.rejects(
      turns.between(() => 'a checkpoint'),
      TypeError,
    );
    assert.equal(store.outputs.upTo, 0);
    assert.equal(reports.filter(({ type }) => type === 'broken').length, 1);
  });

  it('take nothing more once anything failed between the log and the readers', async () => {
    const latest = createLatest();
    const { turns, store, reports } = setUp(createMemoryStore(), manualClock(1_000_000), {
      ...latest,
      apply() {
        throw new TypeError('a bug of the values');
      },
    });
    await assert.rejects(turns.accept([settings()]), TypeError);
    await assert.rejects(turns.accept([fact('1')]), TypeError);
    assert.equal(store.journal.head, 1);
    assert.deepEqual(
      reports.map(({ type }) => type),
      ['broken'],
    );
  });

  it('run a task between two turns', async () => {
    const { turns, store } = setUp();
    const accepted = turns.accept([settings()]);
    const [, head] = await Promise.all([accepted, turns.between(() => store.journal.head)]);
    assert.equal(head, 1);
  });

  it('run a task between two turns, though there is always a fact that waits', async () => {
    const { turns, store } = setUp();
    let isOver = false;
    let given = 0;
    const giveOn = async () => {
      while (!isOver && given < 100) await turns.accept([fact(String(++given))]);
    };
    // While the facts of one are in a turn, those of the other wait for the next one.
    const giving = [giveOn(), giveOn()];
    const head = await turns.between(() => store.journal.head);
    isOver = true;
    await Promise.all(giving);
    assert.equal(head, 1);
  });

  it('are settled once all that was accepted before is through, though there is always a fact that waits', async () => {
    const { turns, store } = setUp();
    let isOver = false;
    let given = 0;
    const giveOn = async () => {
      while (!isOver && given < 100) await turns.accept([fact(String(++given))]);
    };
    const giving = [giveOn(), giveOn()];
    await turns.settled();
    const { head } = store.journal;
    isOver = true;
    await Promise.all(giving);
    assert.ok(head >= 2 && head < 10, `at ${head}`);
    await turns.settled();
    const last = turns.accept([fact('last')]);
    await turns.settled();
    assert.equal(store.journal.head, given + 1);
    await last;
  });

  it('hold the next turn until a task is over', async () => {
    const { turns, store } = setUp();
    await turns.accept([settings()]);
    let next: Promise<void> | undefined;
    const head = await turns.between(async () => {
      next = turns.accept([fact('1')]);
      await nextLoop();
      return store.journal.head;
    });
    assert.equal(head, 1);
    await next;
    assert.equal(store.journal.head, 2);
  });

  it('make what describes the moment of a turn when it begins, not when it has to wait', async () => {
    const clock = manualClock(1_000_000);
    const { turns, store } = setUp(createMemoryStore(), clock);
    await turns.accept([settings()]);
    let next: Promise<void> | undefined;
    await turns.between(async () => {
      next = turns.acceptAtTurn(() => [{ kind: 'tick', ages: { 'posts:a': clock.mono() } }]);
      await nextLoop();
      clock.advance(9_000);
    });
    await next;
    const [tick] = store.journal.readBack(store.journal.head);
    assert.deepEqual(tick?.fact, { kind: 'tick', ages: { 'posts:a': clock.mono() } });
    assert.equal(tick?.receivedAt, 1_009_000);
  });

  describe('of an engine that others stand by for', () => {
    /** What happened, in order; `fail` makes the next telling of a kind fail. */
    function told(store: Store) {
      const events: string[] = [];
      let failing: string | undefined;
      const tell = async (kind: string, upTo: number, keep: () => Promise<void>) => {
        if (failing === kind) throw new TypeError(`no more ${kind}`);
        events.push(`${kind} ${upTo} told at ${store.journal.head}/${store.outputs.upTo}`);
        await keep();
        events.push(`${kind} ${upTo} stored at ${store.journal.head}/${store.outputs.upTo}`);
      };
      const publishing: Publishing = {
        log: (observations, store) => tell('log', observations.at(-1)?.seq ?? 0, store),
        outputs: ({ upTo }, store) => tell('outputs', upTo, store),
      };
      const fail = (kind: string) => {
        failing = kind;
      };
      return { events, publishing, fail };
    }

    it('are told to all before they are in the own log', async () => {
      const { store, latest, turns } = setUp();
      const { events, publishing } = told(store);
      turns.publishTo(publishing);
      latest.change$.subscribe(() => events.push('shown'));
      await turns.accept([settings(), fact('1')]);
      assert.deepEqual(events, [
        'log 2 told at 0/0',
        'log 2 stored at 2/0',
        'outputs 2 told at 2/0',
        'outputs 2 stored at 2/2',
        'shown',
      ]);
    });

    it('end with the first block that is refused, of which nothing is kept', async () => {
      const { store, latest, turns } = setUp();
      const { publishing, fail } = told(store);
      turns.publishTo(publishing);
      await turns.accept([settings()]);
      fail('log');
      await assert.rejects(turns.accept([fact('1')]), TypeError);
      await assert.rejects(turns.accept([fact('2')]), TypeError);
      assert.deepEqual([store.journal.head, latest.posts('a').length], [1, 0]);
      // Log, state and outputs agree, so a checkpoint can be taken.
      assert.equal(await turns.between(() => 'a checkpoint'), 'a checkpoint');
      await turns.stop();
    });

    it('end when what all know cannot be stored here', async () => {
      const store = createMemoryStore();
      const journal = Object.create(store.journal, {
        append: {
          value: async () => {
            throw new TypeError('a bug of the store');
          },
        },
      });
      const { turns } = setUp({ ...store, journal });
      turns.publishTo(told(store).publishing);
      await assert.rejects(turns.accept([settings()]), TypeError);
      await assert.rejects(
        turns.between(() => 'a checkpoint'),
        TypeError,
      );
    });

    it('are followed block by block to the same log, outputs and values', async () => {
      const leading = setUp();
      const following = setUp();
      const outputs: string[] = [];
      const kept: string[] = [];
      leading.turns.publishTo({
        log: async (observations, store) => {
          await store();
          // As over a wire.
          const copy = JSON.parse(JSON.stringify(observations));
          kept.push(JSON.stringify(await following.turns.follow(copy)));
        },
        outputs: async (turn, store) => {
          outputs.push(JSON.stringify(turn.outputs));
          await store();
        },
      });
      const facts: Fact[] = [settings(), fact('1'), { kind: 'tick', ages: { 'posts:a': 3 } }, fact('2')];
      for (const each of facts) await leading.turns.accept([each]);
      assert.deepEqual(
        kept.filter((text) => text !== '[]'),
        outputs,
      );
      assert.deepEqual([...following.store.journal.read(1)], [...leading.store.journal.read(1)]);
      assert.equal(following.store.outputs.upTo, leading.store.outputs.upTo);
      assert.deepEqual([following.latest.seq, following.latest.at], [leading.latest.seq, leading.latest.at]);
      assert.deepEqual(following.requests, []);
      // The time of the next leader goes on from there.
      assert.equal(following.turns.lastAt(), leading.turns.lastAt());
    });
  });
});
