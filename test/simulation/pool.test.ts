import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { answer } from '../../src/simulation/answer-request.ts';
import {
  createSimulationPool,
  type SimulationPool,
  type SimulationPoolDeps,
  type SimulationReport,
  type SimulationWorker,
} from '../../src/simulation/pool.ts';
import type { FitFact, ForecastFact } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';
import { fitRequest, forecastRequest } from '../support/model-requests.ts';
import { FAULTS } from './faulty-worker.ts';

const live = (eventId: number) => forecastRequest({ eventId });
const history = (eventId: number) => forecastRequest({ eventId, origin: 'history', horizonHours: 24 });

type Job = Parameters<SimulationWorker['postMessage']>[0];

/** A worker that does what the test makes it do. */
class ScriptedWorker extends EventEmitter implements SimulationWorker {
  readonly postMessage: (job: Job) => void;

  constructor(onJob: (job: Job, worker: ScriptedWorker) => void) {
    super();
    this.postMessage = (job) => onJob(job, this);
  }

  finish({ request, askedSeq }: Job): void {
    this.emit('message', { fact: answer(request, askedSeq), ms: 1 });
  }

  async terminate(): Promise<void> {}
}

describe('createSimulationPool', () => {
  let pool: SimulationPool;
  let delivered: (FitFact | ForecastFact)[];
  let reports: SimulationReport[];
  const begin = (deps: Partial<SimulationPoolDeps> = {}) => {
    delivered = [];
    reports = [];
    pool = createSimulationPool({
      async deliver(fact) {
        delivered.push(fact);
      },
      report: (report) => reports.push(report),
      ...deps,
    });
  };
  const thread = new URL('./faulty-worker.js', import.meta.url);
  const answered = () => delivered.map(({ askedSeq }) => askedSeq);
  const dropped = () => reports.flatMap((report) => (report.type === 'simulation_dropped' ? [report] : []));
  const failures = () => reports.flatMap((report) => (report.type === 'simulator_failed' ? [report] : []));
  afterEach(() => pool.stop());

  it('delivers what the pure function gives, digit for digit', async () => {
    begin();
    pool.ask(forecastRequest(), 7);
    pool.ask(fitRequest(), 8);
    await eventually('both are delivered', () => delivered.length === 2);
    assert.deepEqual(delivered, [answer(forecastRequest(), 7), answer(fitRequest(), 8)]);
    assert.deepEqual(
      reports.map((report) => report.type === 'simulated' && report.request),
      ['forecast', 'fit'],
    );
  });

  it('takes the next request when the last answer is delivered, the live ones first', async () => {
    const gate = { open: () => {} };
    begin({
      thread,
      deliver: (fact) =>
        new Promise((resolve) => {
          delivered.push(fact);
          gate.open = resolve;
        }),
    });
    pool.ask(history(1), 1);
    await eventually('the first is being delivered', () => delivered.length === 1);
    for (let seq = 2; seq <= 10; seq++) pool.ask(history(seq), seq);
    pool.ask(fitRequest(), 11);
    pool.ask(live(1), 12);
    pool.ask(live(1), 13);
    assert.deepEqual(dropped(), []);
    for (let count = 2; count <= 4; count++) {
      gate.open();
      await eventually('the next is being delivered', () => delivered.length === count);
    }
    assert.deepEqual(answered(), [1, 13, 11, 2]);
  });

  it('tries again with another worker when one throws, and reports it', async () => {
    begin({ thread });
    pool.ask(live(FAULTS.throwsOnce), 5);
    await eventually('it is delivered', () => delivered.length === 1);
    assert.deepEqual(answered(), [5]);
    assert.deepEqual(
      failures().map(({ error, restartMs }) => [String(error), restartMs]),
      [['RangeError: no answer for 103', 100]],
    );
    assert.deepEqual(dropped(), []);
  });

  for (const [name, eventId, error] of [
    ['throws', FAULTS.throws, 'RangeError: no answer for 101'],
    ['ends its worker', FAULTS.dies, 'SimulatorError: a simulation worker ended with code 3'],
  ] as const) {
    it(`drops a request that ${name} twice, reports it, and continues with the next`, async () => {
      begin({ thread });
      pool.ask(live(eventId), 5);
      pool.ask(live(1), 6);
      await eventually(
        'the next is delivered and the first dropped',
        () => delivered.length === 1 && dropped().length === 1,
      );
      assert.deepEqual(answered(), [6]);
      assert.deepEqual(
        dropped().map((report) => [report.reason, String(report.error)]),
        [['failed', error]],
      );
      assert.equal(failures().length, 2);
    });
  }

  it('ends a worker that does not answer in time', async () => {
    begin({ thread, deadlineMs: 300 });
    pool.ask(live(FAULTS.hangs), 5);
    await eventually('it is dropped', () => dropped().length === 1);
    assert.match(String(dropped()[0]?.error), /no answer from a simulation worker in 300 ms/);
  });

  it('goes on with another worker when one that was given up answers after all', async () => {
    const given: Job[] = [];
    const late = new ScriptedWorker((job) => given.push(job));
    const next = new ScriptedWorker((job, worker) => queueMicrotask(() => worker.finish(job)));
    const workers = [late, next];
    const answerLate = () => {
      for (const job of given) late.finish(job);
    };
    begin({
      deadlineMs: 1,
      startWorker: () => workers.shift() ?? next,
      report(report) {
        reports.push(report);
        // Between the end of the one worker and the start of the other.
        if (report.type === 'simulator_failed') queueMicrotask(answerLate);
      },
    });
    pool.ask(live(1), 1);
    await eventually('the other worker has answered', () => answered().includes(1));
    assert.deepEqual([answered(), failures().length], [[1], 1]);
  });

  it('reports an answer that was not delivered, and continues', async () => {
    begin({
      thread,
      async deliver(fact) {
        if (fact.askedSeq === 1) throw new Error('not now');
        delivered.push(fact);
      },
    });
    pool.ask(live(1), 1);
    pool.ask(live(2), 2);
    await eventually('the second is delivered', () => delivered.length === 1);
    assert.deepEqual(
      dropped().map(({ reason }) => reason),
      ['not_delivered'],
    );
  });

  describe('once it is idle', () => {
    const rows = () => delivered.map((fact) => (fact.kind === 'fit' ? fact.params.rows : undefined));
    let asked = 0;
    /** Asks again and again, each time a while after the last answer. */
    const askUntil = async (what: string, isDone: () => boolean) =>
      eventually(what, () => {
        if (delivered.length > 0 && isDone()) return true;
        if (delivered.length === asked) pool.ask(live(1), ++asked);
        return false;
      });

    for (const request of [fitRequest(), forecastRequest({ params: null })]) {
      it(`lets a thread go that has fitted for a ${request.type}, and starts another`, async () => {
        begin({ thread, retireMs: 1 });
        pool.ask(request, 1);
        asked = 1;
        await askUntil('another thread answers', () => asked > 1 && rows().at(-1) === 1);
        assert.deepEqual(failures(), []);
      });
    }

    it('keeps one that has not', async () => {
      begin({ thread, retireMs: 1 });
      asked = 0;
      await askUntil('a few are answered', () => delivered.length === 4);
      assert.deepEqual(rows(), [1, 2, 3, 4]);
    });
  });

  it('works on as many requests at once as it has workers', async () => {
    begin({ thread, workers: 2 });
    pool.ask(live(FAULTS.hangs), 1);
    pool.ask(live(2), 2);
    await eventually('the second does not wait for the first', () => delivered.length === 1);
    assert.deepEqual(answered(), [2]);
  });

  it('is silent once it is stopped, even in the middle of a request', async () => {
    begin({ thread });
    pool.ask(live(FAULTS.hangs), 1);
    await pool.stop();
    pool.ask(live(2), 2);
    await pool.stop();
    assert.deepEqual([delivered, reports], [[], []]);
  });
});
