import assert from 'node:assert/strict';
import fc from 'fast-check';
import { clientWith } from '../../../src/client/client.ts';
import type { FeedStatus } from '../../../src/client/feed/connection-status.ts';
import type { FeedEvent } from '../../../src/client/feed/feed-event.ts';
import { byKey } from '../../../src/client/feed/record-map.ts';
import type { DataFrame } from '../../../src/client/wire.ts';
import { eventually } from '../../support/eventually.ts';
import { createModelFeed } from './model-feed.ts';

const PATIENCE_MS = 60_000;

function until(what: string, holds: () => boolean): Promise<void> {
  return eventually(what, holds);
}

const anyAct = fc.oneof(
  { weight: 10, arbitrary: fc.constant({ act: 'post' as const }) },
  {
    weight: 10,
    arbitrary: fc.record({ act: fc.constant('change' as const), key: fc.constantFrom('1', '2', '3') }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('cut' as const), lost: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constantFrom({ act: 'stall' as const }, { act: 'wake' as const }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('repeat' as const), count: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ act: 'skip' as const }) },
  { weight: 2, arbitrary: fc.constant({ act: 'beat' as const }) },
  { weight: 4, arbitrary: fc.constant({ act: 'settle' as const }) },
);

function follow(model: ReturnType<typeof createModelFeed>) {
  const client = clientWith(async () => model.Socket, { url: 'http://model' });
  const feed = client.feed({ reconnect: { minMs: 0, maxMs: 0 } });
  const frames: DataFrame<'tweets'>[] = [];
  const events: FeedEvent[] = [];
  let status: FeedStatus | undefined;
  let state: Readonly<Record<string, unknown>> = {};
  feed.status$.subscribe((each) => {
    status = each;
  });
  feed.event$.subscribe((event) => events.push(event));
  feed.tweets('account_a').subscribe((frame) => frames.push(frame));
  feed
    .counters('account_a')
    .pipe(byKey())
    .subscribe((records) => {
      state = Object.fromEntries(Array.from(records, ([key, record]) => [key, Reflect.get(record, 'value')]));
    });
  return { feed, frames, events, status: () => status, state: () => state };
}

type Reader = ReturnType<typeof follow>;

function isAtEnd(model: ReturnType<typeof createModelFeed>, { frames, state }: Reader): boolean {
  const isSame = JSON.stringify(sorted(state())) === JSON.stringify(sorted(model.state()));
  return isSame && updates(frames).length >= model.log.length;
}

const sorted = (state: object) => Object.entries(state).sort();
const updates = (frames: readonly DataFrame<'tweets'>[]) =>
  frames.filter(({ type }) => type === 'update').map((frame) => JSON.stringify(frame));

describe('a reader whose connection is cut anywhere', function () {
  this.timeout(4 * PATIENCE_MS);

  it('receives every frame of a lossless channel once, byte for byte, and ends in the same state', async () => {
    let frames = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { maxLength: 120, size: 'max' }), async (acts) => {
        const model = createModelFeed();
        const reader = follow(model);
        try {
          await until('it is connected', () => reader.status()?.state === 'live');
          for (const each of acts) {
            if (each.act === 'change') model.change(each.key);
            else if (each.act === 'cut') model.cut(each.lost);
            else if (each.act === 'repeat') model.repeat(each.count);
            else await model[each.act]();
          }
          model.wake();
          const isDone = () => {
            model.beat();
            return isAtEnd(model, reader);
          };
          await until('all has arrived', isDone);
          assert.deepEqual(updates(reader.frames), model.log);
          frames += model.log.length;
        } finally {
          reader.feed.close();
        }
      }),
      // Shrinking a failure would take minutes.
      { numRuns: 100, endOnFailure: true },
    );
    assert.ok(frames > 1_000, `${frames} frames`);
  });

  it('reports a new numbering, and starts again with a snapshot', async () => {
    const model = createModelFeed();
    const reader = follow(model);
    await until('it is connected', () => reader.status()?.state === 'live');
    model.post();
    model.change('1');
    await model.settle();
    model.renumber();
    model.post();
    await until(
      'it is back',
      () => reader.frames.at(-1)?.epoch === 'e2' && reader.status()?.state === 'live',
    );
    assert.ok(
      reader.events.some((event) => event.type === 'epoch' && event.from === 'e1' && event.to === 'e2'),
    );
    assert.deepEqual(reader.state(), {});
    reader.feed.close();
  });

  it('reports that it was away for too long, and starts again with a snapshot', async () => {
    const model = createModelFeed();
    const reader = follow(model);
    await until('it is connected', () => reader.status()?.state === 'live');
    model.cut(0);
    model.change('1');
    model.change('1');
    model.forget();
    await until('it is back', () => reader.state()['1'] === 2);
    assert.ok(reader.events.some(({ type }) => type === 'cursor_too_old'));
    assert.equal(reader.status()?.state, 'live');
    reader.feed.close();
  });

  it('notices a missing frame, by the next one or by the heartbeats', async () => {
    const model = createModelFeed();
    const reader = follow(model);
    await until('it is connected', () => reader.status()?.state === 'live');
    model.skip();
    model.post();
    await until('the first is repaired', () => updates(reader.frames).length === 2);
    model.skip();
    await model.settle();
    model.beat();
    await model.settle();
    assert.equal(updates(reader.frames).length, 2);
    model.beat();
    await until('the last is repaired', () => updates(reader.frames).length === 3);
    assert.deepEqual(updates(reader.frames), model.log);
    const gaps = reader.events.filter(({ type }) => type === 'gap');
    assert.deepEqual(gaps, [
      { type: 'gap', topic: 'tweets/account_a', afterSeq: 0, beforeSeq: 2 },
      { type: 'gap', topic: 'tweets/account_a', afterSeq: 2, beforeSeq: 4 },
    ]);
    assert.equal(model.connects, 1);
    reader.feed.close();
  });
});
