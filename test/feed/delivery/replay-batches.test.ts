import assert from 'node:assert/strict';
import { createReplayBatches } from '../../../src/feed/delivery/replay-batches.ts';
import { openFrameLog, type PublishedFrames } from '../../../src/feed/log/frame-log.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import { changeOf, TOPICS, topicOf } from '../memory-readers.ts';

const EVERYONE = audienceOf('everyone', 'FREE');
const FRAMES = 100;
const FRAME_CHARS = 5_000;

describe('the steps of a replay', () => {
  let reads: number;
  let log: Pick<PublishedFrames, 'epoch' | 'read' | 'state'>;
  beforeEach(async () => {
    const report = (error: unknown) => assert.fail(String(error));
    const opened = openFrameLog({ window: createMemoryStore().feed, topics: TOPICS, report });
    for (let value = 0; value < FRAMES; value++)
      opened.append([changeOf('test', 'test', `${value} ${'x'.repeat(FRAME_CHARS)}`)], 0);
    await opened.stop();
    reads = 0;
    log = {
      ...opened,
      read(state, seq) {
        reads += 1;
        return opened.read(state, seq);
      },
    };
  });
  const test = topicOf('test');

  it('lead through every frame, none much longer than a reader is sent at once', () => {
    const batches = createReplayBatches(log);
    const seqs: number[] = [];
    for (let seq = 0; ; seq = seqs.at(-1) ?? 0) {
      const step = batches.after(log.state(test), seq, EVERYONE);
      if (step === undefined) break;
      assert.equal(step.seq, step.batch.seqs.at(-1));
      assert.equal(step.bytes, Buffer.byteLength(step.batch.texts.join('')));
      assert.ok(step.bytes <= 32 * 1_024 + FRAME_CHARS + 500, `${step.bytes} bytes in a step`);
      seqs.push(...step.batch.seqs);
    }
    assert.deepEqual(
      seqs,
      Array.from({ length: FRAMES }, (_, index) => index + 1),
    );
  });

  it('are read once for all readers at the same place', () => {
    const batches = createReplayBatches(log);
    const first = batches.after(log.state(test), 3, EVERYONE);
    assert.ok(first !== undefined);
    assert.equal(batches.after(log.state(test), 3, EVERYONE), first);
    assert.equal(
      batches.after(log.state(test), 3, EVERYONE)?.batch.webSocketBytes(),
      first.batch.webSocketBytes(),
    );
    assert.equal(reads, 1);
    assert.notEqual(batches.after(log.state(test), 4, EVERYONE), first);
    assert.equal(reads, 2);
    batches.clear();
    batches.after(log.state(test), 3, EVERYONE);
    assert.equal(reads, 3);
  });

  it('are not shared by readers of different audiences', () => {
    const batches = createReplayBatches(log);
    const [small, large] = [10, 1_000].map((bankrollUsd) => audienceOf('bankroll', 'PRO', { bankrollUsd }));
    assert.ok(small !== undefined && large !== undefined);
    batches.after(log.state(test), 0, small);
    batches.after(log.state(test), 0, large);
    assert.equal(reads, 2);
  });

  it('are forgotten when there are many', () => {
    const batches = createReplayBatches(log);
    const places = Array.from({ length: 90 }, (_, seq) => seq);
    for (const seq of places) batches.after(log.state(test), seq, EVERYONE);
    batches.after(log.state(test), 89, EVERYONE);
    assert.equal(reads, 90);
    batches.after(log.state(test), 0, EVERYONE);
    assert.equal(reads, 91);
  });
});
