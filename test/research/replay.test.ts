import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ReplayOptions, replay } from '../../src/research/replay.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { KEPT_STREAMS, type Output } from '../../streams/internal.ts';
import { keptLines, record, START_AT, temporaryFolder, withStore } from './small-log.ts';

async function linesOf(store: Store, options: Partial<ReplayOptions> = {}): Promise<string[]> {
  let text = '';
  const { signal } = new AbortController();
  const all: ReplayOptions = { streams: KEPT_STREAMS, speed: Number.POSITIVE_INFINITY, signal, ...options };
  for await (const batch of replay(store, all)) {
    assert.ok(batch.endsWith('\n'));
    text += batch;
  }
  return text.split('\n').slice(0, -1);
}

const parse = (line: string): Output => JSON.parse(line);

describe('replay', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  /** Of 40 s, which no test changes. */
  let store: Store;
  before(async () => {
    folder = temporaryFolder();
    store = await openStore(folder.path);
    await record(store, { seconds: 40 });
  });
  after(async () => {
    await store.close();
    folder.remove();
  });

  it('gives for each stream what the store keeps of it', async () => {
    const lines = await linesOf(store);
    for (const stream of KEPT_STREAMS) {
      assert.deepEqual(
        lines.filter((line) => parse(line).stream === stream),
        keptLines(store, stream),
      );
      assert.deepEqual(await linesOf(store, { streams: [stream] }), keptLines(store, stream));
    }
  });

  it('recomputes streams that are not kept when asked for them', async () => {
    assert.equal((await linesOf(store, { streams: ['freshness'] })).length, 40);
  });

  it('gives of any range what lies in it, wherever it starts from', async () => {
    const whole = await linesOf(store);
    const place = fc.nat({ max: store.journal.head + 5 });
    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        const lines = await linesOf(store, { from: { by: 'seq', seq: from }, to: { by: 'seq', seq: to } });
        assert.deepEqual(
          lines,
          whole.filter((line) => parse(line).seq >= from && parse(line).seq < to),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('gives the outputs of an observation right at a checkpoint', async () => {
    const whole = await linesOf(store);
    const withOutputs = store.checkpoints
      .list()
      .filter(({ seq }) => whole.some((line) => parse(line).seq === seq));
    assert.ok(withOutputs.length > 0);
    for (const { seq } of withOutputs) {
      const expected = whole.filter((line) => parse(line).seq >= seq);
      assert.deepEqual(await linesOf(store, { from: { by: 'seq', seq } }), expected);
    }
  });

  it('takes times for a range, without its end', async () => {
    const [from, to] = [START_AT + 10_000, START_AT + 20_000];
    const lines = await linesOf(store, { from: { by: 'time', at: from }, to: { by: 'time', at: to } });
    const expected = (await linesOf(store)).filter((line) => parse(line).at >= from && parse(line).at < to);
    assert.deepEqual(lines, expected);
    assert.ok(lines.length > 10);
  });

  it('lets the time of the log pass at the speed asked for', () =>
    withStore(async (store) => {
      await record(store, { seconds: 21 });
      const startedAt = performance.now();
      await linesOf(store, { speed: 100 });
      const tookMs = performance.now() - startedAt;
      // 20 s of log at a hundredfold; an upper bound would test the machine.
      assert.ok(tookMs >= 195, `took ${tookMs} ms`);
    }));

  it('ends when aborted, even while it waits', async () => {
    const stop = new AbortController();
    const waiting = linesOf(store, { speed: 0.001, signal: stop.signal });
    setImmediate(() => stop.abort());
    const lines = await waiting;
    assert.ok(lines.length < (await linesOf(store)).length);
  });
});
