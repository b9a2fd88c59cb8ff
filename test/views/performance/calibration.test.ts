import assert from 'node:assert/strict';
import { parseConfig } from '../../../src/config/config.ts';
import { createLatest } from '../../../src/views/latest.ts';
import { createCalibration } from '../../../src/views/performance/calibration.ts';
import { createWatcher } from '../../../src/views/watch.ts';
import type { StreamName } from '../../../streams/internal.ts';
import { eventually } from '../../support/eventually.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import { scoreOutput, sleepOutput } from '../../support/outputs.ts';
import { velocityAt } from '../../support/store-records.ts';

const { accounts } = parseConfig({ flags: { accounts: '1' }, env: {} });

function failOn(error: unknown): void {
  assert.fail(String(error));
}

describe('calibration', () => {
  /** Over a store with one score, or with more. */
  async function startedWith(
    starting: () => string | undefined,
    count = 1,
    { fails = 0, report = failOn }: { readonly fails?: number; readonly report?: typeof failOn } = {},
  ) {
    let left = fails;
    const { outputs } = createMemoryStore();
    const stored = Array.from({ length: count }, (_, eventId) =>
      scoreOutput({ account: 'a', eventId: eventId + 1 }, { seq: 1 }),
    );
    await outputs.append(stored, 1);
    const read: StreamName[] = [];
    const all = createLatest(outputs);
    let rounds = 0;
    const latest: typeof all = Object.assign(Object.create(all), {
      all(stream: StreamName) {
        if (stream === 'scores') rounds += 1;
        return all.all(stream);
      },
    });
    latest.loadFrom({
      ...outputs,
      latestAfter(stream, key, limit) {
        read.push(stream);
        if (stream === 'scores' && left-- > 0) throw new Error('the store cannot be read');
        return outputs.latestAfter(stream, key, limit);
      },
    });
    const watcher = createWatcher(latest);
    const scores = watcher.watch(({ stream }) => stream === 'scores');
    const sleepScores = watcher.watch(({ stream }) => stream === 'sleep');
    const calibration = createCalibration({
      latest,
      accounts,
      scores,
      sleepScores,
      starting,
      report,
    });
    return { latest, calibration, hasReadScores: () => read.includes('scores'), rounds: () => rounds };
  }

  it('reads no scores before the engine runs, and then with the next change', async () => {
    let reason: string | undefined = 'it starts';
    const { latest, calibration, hasReadScores } = await startedWith(() => reason);
    latest.apply([velocityAt(2)], 2, 2_000);
    assert.equal(hasReadScores(), false);
    assert.equal(calibration.watch.revision, 0);
    reason = undefined;
    latest.apply([velocityAt(3)], 3, 3_000);
    assert.equal(hasReadScores(), true);
    await eventually('the pass is complete', () => calibration.watch.revision === 1);
    calibration.close();
  });

  it('has the result before that when somebody asks for it', async () => {
    const { calibration, hasReadScores } = await startedWith(() => 'it starts');
    const text = calibration.text();
    assert.equal(hasReadScores(), true);
    const { calibration: ofRunning } = await startedWith(() => undefined);
    assert.equal(text, ofRunning.text());
    assert.match(text, /"sample_size":1|"n":1/);
    for (const each of [calibration, ofRunning]) each.close();
  });

  it('tries a first pass that failed again with the next change', async () => {
    const errors: unknown[] = [];
    const { latest, calibration } = await startedWith(() => undefined, 1, {
      fails: 1,
      report: (error) => errors.push(error),
    });
    assert.deepEqual([errors.length, calibration.watch.revision], [1, 0]);
    latest.apply([velocityAt(2)], 2, 2_000);
    await eventually('the pass is complete', () => calibration.watch.revision === 1);
    assert.match(calibration.text(), /"n":1/);
    calibration.close();
  });

  it('takes a new score of a sleep probability without going through the scores again', async () => {
    const { latest, calibration, rounds } = await startedWith(() => undefined);
    const before = calibration.text();
    assert.deepEqual([rounds(), calibration.watch.revision], [1, 1]);
    latest.apply([sleepOutput({ account: 'a', n: 7 }, { seq: 2 })], 2, 2_000);
    await eventually('the pass is complete', () => calibration.watch.revision === 2);
    assert.match(calibration.text(), /"sleep":\[\{"account":"account_a","n":7,/);
    const forecastsIn = (text: string) => text.slice(0, text.indexOf('"sleep"'));
    assert.equal(forecastsIn(calibration.text()), forecastsIn(before));
    assert.deepEqual([rounds(), calibration.watch.seq], [1, 2]);
    latest.apply([scoreOutput({ account: 'a', eventId: 9 }, { seq: 3 })], 3, 3_000);
    await eventually('the pass is complete', () => calibration.watch.revision === 3);
    assert.equal(rounds(), 2);
    assert.match(calibration.text(), /"n":2/);
    calibration.close();
  });

  it('goes through many scores beside other work, with the result of a pass that is made at once', async () => {
    const { calibration } = await startedWith(() => undefined, 2_001);
    assert.equal(calibration.watch.revision, 0);
    await eventually('the pass is complete', () => calibration.watch.revision === 1);
    const { calibration: asked } = await startedWith(() => 'it starts', 2_001);
    assert.equal(calibration.text(), asked.text());
    for (const each of [calibration, asked]) each.close();
  });
});
