import assert from 'node:assert/strict';
import { createLiveness } from '../../../src/client/feed/liveness.ts';
import type { HeartbeatFrame } from '../../../src/client/wire.ts';

const heartbeat = (ts: number, stale: readonly string[] = []) => ({
  type: 'heartbeat' as const,
  channel: 'heartbeat' as const,
  epoch: 'e',
  ts,
  seqs: {},
  ages_ms: { 'posts/account_a': 900_000 },
  stale,
  history_percent: {},
  events_known: true,
});
const pong = (ts: number, pipelineTs: number) => ({
  type: 'pong' as const,
  id: 1,
  ts,
  pipeline_ts: pipelineTs,
});

/** Checks each 200 ms up to `until` and answers pings; returns the last check. */
function watch(until: number, answer: (now: number) => ReturnType<typeof pong> | undefined) {
  const liveness = createLiveness(0);
  liveness.onHeartbeat(heartbeat(1_000_000), 0);
  let last = liveness.check(0);
  let pings = 0;
  for (let now = 200; now <= until; now += 200) {
    last = liveness.check(now);
    if (!last.isPingDue) continue;
    pings += 1;
    const frame = answer(now);
    if (frame) liveness.onPong(frame, now + 5);
  }
  return { ...last, pings };
}

describe('createLiveness', () => {
  it('is not stale and sends no ping while heartbeats come', () => {
    const { stale, pings } = watch(1_200, () => undefined);
    assert.equal(stale, undefined);
    assert.equal(pings, 0);
  });

  it('blames the connection when pings are not answered, and replaces the socket after 10 s', () => {
    assert.deepEqual(watch(2_600, () => undefined).stale, { reason: 'connection', sources: [] });
    assert.equal(watch(9_800, () => undefined).shouldReplaceSocket, false);
    assert.equal(watch(10_000, () => undefined).shouldReplaceSocket, true);
  });

  it('blames the streams when pongs show an old time, whatever the clock of the server', () => {
    const answer = (now: number) => pong(5_000_000 + now, 5_000_500);
    assert.deepEqual(watch(2_600, answer).stale, { reason: 'graph', sources: [] });
    assert.equal(watch(20_000, answer).shouldReplaceSocket, false);
  });

  it('blames the fan-out when the streams go on', () => {
    const answer = (now: number) => pong(7_000 + now, 6_500 + now);
    assert.deepEqual(watch(2_600, answer).stale, { reason: 'fan_out', sources: [] });
    assert.equal(watch(10_200, answer).shouldReplaceSocket, true);
  });

  it('calls a source stale when the server does, however old its last answer is', () => {
    const liveness = createLiveness(0);
    // Seconds of a steady rhythm, then a long quiet: only the server knows what that means.
    for (let second = 0; second < 60; second += 1) {
      const frame = { ...heartbeat(second * 1_000), ages_ms: { prices: second < 30 ? 400 : 40_000 } };
      liveness.onHeartbeat(frame, second * 1_000);
      assert.equal(liveness.check(second * 1_000).stale, undefined);
    }
    liveness.onHeartbeat(heartbeat(60_000, ['prices']), 60_000);
    assert.deepEqual(liveness.check(60_000).stale, { reason: 'source', sources: ['prices'] });
    liveness.onHeartbeat(heartbeat(61_000), 61_000);
    assert.equal(liveness.check(61_000).stale, undefined);
  });

  it('takes nothing for stale that a server of an earlier version does not name', () => {
    const liveness = createLiveness(0);
    // Undefined is not written.
    const earlier = JSON.stringify({ ...heartbeat(0), stale: undefined });
    liveness.onHeartbeat(JSON.parse(earlier) as HeartbeatFrame, 0);
    assert.equal(liveness.check(0).stale, undefined);
  });

  it('accepts data as a sign of life as well as a heartbeat', () => {
    const liveness = createLiveness(0);
    for (let now = 200; now <= 10_000; now += 200) {
      liveness.onData(now);
      assert.equal(liveness.check(now).stale, undefined);
    }
  });

  it('ignores the time in which the reader itself was suspended', () => {
    const liveness = createLiveness(0);
    liveness.onHeartbeat(heartbeat(0), 0);
    liveness.check(200);
    const late = liveness.check(60_000);
    assert.deepEqual([late.stale, late.shouldReplaceSocket], [undefined, false]);
  });

  it('is stale less than three seconds after the last frame, whatever the reason', () => {
    const answers = [
      () => undefined,
      (now: number) => pong(5_000_000 + now, 5_000_500),
      (now: number) => pong(7_000 + now, 6_500 + now),
    ];
    for (const answer of answers) assert.ok(watch(2_800, answer).stale);
  });
});
