import assert from 'node:assert/strict';
import { createPulse } from '../../../src/client/feed/liveness.ts';

const beat = (ts: number) => ({
  type: 'heartbeat' as const,
  channel: 'heartbeat' as const,
  epoch: 'e',
  ts,
  seqs: {},
  ages_ms: {},
});
const pong = (ts: number, pipelineTs: number) => ({
  type: 'pong' as const,
  id: 1,
  ts,
  pipeline_ts: pipelineTs,
});

/** Looks each 200 ms up to `until`, answering pings as told; returns the last look. */
function watch(until: number, answer: (now: number) => ReturnType<typeof pong> | undefined) {
  const pulse = createPulse(0);
  pulse.heartbeat(beat(1_000_000), 0);
  let last = pulse.look(0);
  let pings = 0;
  for (let now = 200; now <= until; now += 200) {
    last = pulse.look(now);
    if (!last.isPingDue) continue;
    pings += 1;
    const frame = answer(now);
    if (frame) pulse.pong(frame, now + 5);
  }
  return { ...last, pings };
}

describe('createPulse', () => {
  it('is content, and pings nobody, while heartbeats come', () => {
    const { stale, pings } = watch(1_200, () => undefined);
    assert.equal(stale, undefined);
    assert.equal(pings, 0);
  });

  it('says that it is the connection when pings are not answered, and gives it up after 10 s', () => {
    assert.deepEqual(watch(2_600, () => undefined).stale, { reason: 'connection', sources: [] });
    assert.equal(watch(9_800, () => undefined).isGivenUp, false);
    assert.equal(watch(10_000, () => undefined).isGivenUp, true);
  });

  it('says that it is the streams when pings are answered with an old time, whatever the clock of the server', () => {
    const answer = (now: number) => pong(5_000_000 + now, 5_000_500);
    assert.deepEqual(watch(2_600, answer).stale, { reason: 'graph', sources: [] });
    assert.equal(watch(20_000, answer).isGivenUp, false);
  });

  it('says that it is the fan-out when the streams go on', () => {
    const answer = (now: number) => pong(7_000 + now, 6_500 + now);
    assert.deepEqual(watch(2_600, answer).stale, { reason: 'fan_out', sources: [] });
    assert.equal(watch(10_200, answer).isGivenUp, true);
  });

  it('takes data for a sign of life as good as a heartbeat', () => {
    const pulse = createPulse(0);
    for (let now = 200; now <= 10_000; now += 200) {
      pulse.data(now);
      assert.equal(pulse.look(now).stale, undefined);
    }
  });

  it('blames nobody for the time in which the reader itself stood still', () => {
    const pulse = createPulse(0);
    pulse.heartbeat(beat(0), 0);
    pulse.look(200);
    const late = pulse.look(60_000);
    assert.deepEqual([late.stale, late.isGivenUp], [undefined, false]);
  });
});
