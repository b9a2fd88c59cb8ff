import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Journal } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { openPast } from '../../src/views/past.ts';
import { createRunner, emptyState, isKept, type Observation, type Output } from '../../streams/internal.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { loadObservations } from '../sweeps/recorded-run.ts';

const LOG = fileURLToPath(new URL('../../../test/recorded/log.jsonl.br', import.meta.url));

const SHORT_MS = [7_000, 30_000, 60_000];

interface Step {
  readonly observation: Observation;
  /** The last signals of each event. */
  readonly signals: readonly Output[];
}

/** A log that can be looked up, but not be read on from where its first tick was. */
function unread(journal: Journal, log: readonly Observation[]): Journal {
  const firstTick = log.find(({ fact }) => fact.kind === 'tick')?.seq ?? assert.fail('no tick');
  return {
    ...journal,
    get head() {
      return journal.head;
    },
    get tail() {
      return journal.tail;
    },
    read(fromSeq) {
      assert.ok(fromSeq <= firstTick, 'the log is read');
      return journal.read(fromSeq);
    },
  };
}

/** Runs a log and stores what an engine stores of it. */
async function stored(log: readonly Observation[]) {
  const store = createMemoryStore();
  const latest = createLatest();
  /** As that of a process which has seen all of it. */
  const followed = openPast({ ...store, journal: unread(store.journal, log) }, latest, {
    windowsMs: SHORT_MS,
  });
  const { run } = createRunner(emptyState());
  const steps: Step[] = [];
  for (const observation of log) {
    const { seq, receivedAt } = observation;
    const outputs = run(observation);
    await store.journal.append([observation]);
    await store.outputs.append(
      outputs.filter(({ stream }) => isKept(stream)),
      seq,
    );
    latest.apply(outputs, seq, receivedAt);
    steps.push({ observation, signals: [...latest.all('signals')] });
  }
  return { store, latest, steps, followed };
}

function inOrder(outputs: Iterable<Output>): readonly Output[] {
  // What is stored is JSON, so what is not in it is not compared.
  const plain: Output[] = JSON.parse(JSON.stringify([...outputs]));
  return plain.map(({ cause, ...output }) => output as Output).sort((a, b) => (a.key < b.key ? -1 : 1));
}

const isOf = (account: string) => (output: Output) =>
  output.stream === 'signals' && output.record.account === account;

describe('signals of the past', function () {
  this.timeout(120_000);
  let log: Awaited<ReturnType<typeof stored>>;
  before(async () => {
    log = await stored(await loadObservations(LOG));
  });

  for (const [name, open] of [
    ['from where the log begins', () => openPast(log.store, log.latest)],
    [
      'from what was stored some seconds before',
      () => openPast(log.store, log.latest, { windowsMs: SHORT_MS }),
    ],
    ['without reading the log where its ticks were seen', () => log.followed],
  ] as const) {
    it(`are computed again, ${name}, as they were published`, async () => {
      const past = open();
      let compared = 0;
      for (const { observation, signals } of log.steps.filter((_, at) => at > 4_300 && at % 211 === 0)) {
        const { seq, receivedAt } = observation;
        for (const account of ['a', 'b']) {
          const then = await past.of(account, seq, receivedAt, ['events', 'signals']);
          const active = new Set(Array.from(then.all('events'), ({ key }) => key));
          const expected = inOrder(signals.filter(isOf(account))).filter(({ key }) => active.has(key));
          const found = inOrder(then.all('signals')).filter(({ key }) => active.has(key));
          assert.deepEqual(found, expected, `${account} at ${seq}`);
          compared += expected.length;
        }
      }
      assert.ok(compared > 10, `${compared} signals`);
    });
  }

  it('name their newest input when they changed before the time that is looked at', async () => {
    const past = openPast(log.store, log.latest, { windowsMs: [1] });
    const { observation, signals } = log.steps.at(-60) ?? assert.fail();
    const { seq, receivedAt } = observation;
    const then = await past.of('a', seq, receivedAt, ['events', 'signals']);
    const found = inOrder(then.all('signals'));
    const published = inOrder(signals.filter(isOf('a'))).filter(({ key }) => then.get('events', key));
    assert.ok(found.length > 0);
    assert.deepEqual(
      found.map(({ record }) => record),
      published.map(({ record }) => record),
    );
    for (const [at, output] of found.entries()) {
      assert.ok(output.seq >= (published[at]?.seq ?? 0) && output.seq <= seq, `${output.seq}`);
    }
  });

  it('take no more than so many observations to compute, however many there were in the time that is looked at', async () => {
    const MOST = 40;
    let read = 0;
    const { journal } = log.store;
    const counted: Journal = {
      ...journal,
      head: journal.head,
      tail: journal.tail,
      *read(fromSeq) {
        for (const observation of journal.read(fromSeq)) {
          read += 1;
          yield observation;
        }
      },
    };
    const past = openPast({ ...log.store, journal: counted }, log.latest, { mostObservations: MOST });
    const { observation, signals } = log.steps.at(-60) ?? assert.fail();
    const then = await past.of('a', observation.seq, observation.receivedAt, ['events', 'signals']);
    const published = inOrder(signals.filter(isOf('a'))).filter(({ key }) => then.get('events', key));
    assert.deepEqual(
      inOrder(then.all('signals')).map(({ record }) => record),
      published.map(({ record }) => record),
    );
    // The one after the last tells that it is reached.
    assert.ok(read > 0 && read <= MOST + 1, `${read} observations`);
  });
});
