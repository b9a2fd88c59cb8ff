import assert from 'node:assert/strict';
import { createJobQueue, type Job } from '../../src/simulation/queue.ts';
import type { ModelRequest } from '../../streams/internal.ts';
import { fitRequest, forecastRequest } from '../support/model-requests.ts';

const job = (request: ModelRequest, askedSeq: number): Job => ({ request, askedSeq, attempts: 0 });
const live = (eventId: number) => forecastRequest({ eventId });
const history = (eventId: number) => forecastRequest({ eventId, origin: 'history', horizonHours: 24 });

describe('createJobQueue', () => {
  const filled = (...jobs: readonly Job[]) => {
    const queue = createJobQueue();
    for (const each of jobs) assert.equal(queue.add(each), true);
    return queue;
  };
  const drained = (queue: ReturnType<typeof filled>) => {
    const seqs: number[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) seqs.push(next.askedSeq);
    return seqs;
  };

  it('hands out live forecasts before fits before history, each in the order asked', () => {
    const queue = filled(
      job(history(1), 1),
      job(fitRequest(), 2),
      job(live(1), 3),
      job(history(2), 4),
      job(fitRequest({ account: 'b' }), 5),
      job(live(2), 6),
    );
    assert.deepEqual(drained(queue), [3, 6, 2, 5, 1, 4]);
  });

  it('lets a newer live forecast of an event take the place of the waiting one', () => {
    const queue = filled(job(live(1), 1), job(live(2), 2), job(live(1), 3));
    assert.deepEqual(drained(queue), [3, 2]);
  });

  it('keeps a forecast that is to be scored beside the one that is shown', () => {
    const scored = forecastRequest({ eventId: 1, horizonHours: 24 });
    assert.deepEqual(drained(filled(job(scored, 1), job(live(1), 2))), [1, 2]);
  });

  it('lets a newer fit of an account take the place of the waiting one', () => {
    assert.deepEqual(drained(filled(job(fitRequest(), 1), job(fitRequest(), 2))), [2]);
  });

  it('refuses history past four thousand waiting, but takes the same question again', () => {
    const queue = filled(...Array.from({ length: 4_000 }, (_, index) => job(history(index), index)));
    assert.equal(queue.add(job(history(4_000), 4_000)), false);
    assert.equal(queue.add(job(history(3), 30)), true);
    assert.equal(queue.add(job(live(8), 9)), true);
    assert.deepEqual(drained(queue).slice(0, 6), [9, 0, 1, 2, 30, 4]);
  });

  it('finishes the past of one account before that of the next', () => {
    const past = (account: string, eventId: number) => job({ ...history(eventId), account }, eventId);
    const queue = filled(past('a', 1), past('b', 2), past('a', 3), past('b', 4));
    assert.equal(queue.take()?.askedSeq, 1);
    queue.add(past('a', 5));
    assert.deepEqual(drained(queue), [3, 5, 2, 4]);
  });

  it('never lets a job wait for ever, however many live forecasts are asked for', () => {
    const queue = filled(job(fitRequest(), 1), job(history(1), 2));
    const taken: number[] = [];
    for (let seq = 3; seq < 203; seq++) {
      queue.add(job(live(seq), seq));
      taken.push(queue.take()?.askedSeq ?? 0);
    }
    assert.ok(taken.includes(1) && taken.includes(2));
    assert.ok(taken.filter((seq) => seq > 2).length > 190);
  });

  it('gives each of many events its turn, also while some are asked for again and again', () => {
    const ids = Array.from({ length: 600 }, (_, index) => index);
    const queue = filled(...ids.map((id) => job(live(id), id)));
    const order = ids.map(() => {
      queue.add(job(live(599), 10_000));
      queue.add(job(live(0), 10_001));
      const { request } = queue.take() ?? {};
      return request?.type === 'forecast' ? request.eventId : -1;
    });
    assert.deepEqual(new Set(order).size, 600);
  });

  it('takes a job back unless a newer one has its place', () => {
    const queue = filled(job(live(1), 1));
    const taken = queue.take();
    assert.ok(taken);
    queue.putBack(taken);
    assert.equal(queue.take(), taken);
    queue.add(job(live(1), 2));
    queue.putBack(taken);
    assert.deepEqual(drained(queue), [2]);
  });
});
