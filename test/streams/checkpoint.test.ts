import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  createStateReader,
  decodeState,
  emptyState,
  encodeState,
  encodeStateLines,
  type GraphState,
} from '../../streams/internal.ts';
import { log, post, settings } from '../support/facts.ts';
import { anyLog } from '../support/observations.ts';
import { run } from './pipelines/run.ts';

describe('checkpoint', () => {
  it('brings any state back as it was, maps and sets and the order of their keys', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const state = emptyState();
        run(log, state);
        const text = encodeState(state);
        const again = decodeState(text);
        assert.deepEqual(again, state);
        assert.equal(encodeState(again), text);
      }),
      { numRuns: 100 },
    );
  });

  it('brings the empty state back', () => {
    assert.deepEqual(decodeState(encodeState(emptyState())), emptyState());
  });

  it('fills in a pipeline that the text does not have', () => {
    assert.deepEqual(decodeState('{}'), emptyState());
  });

  it('reads a state that was written as one object', () => {
    const text =
      '{"posts":{"$map":[["a",null]]},"prices":{"$map":[["1",{"quotes":{"$map":[["t",{"bid":1}]]}}]]}}';
    const { posts, prices } = decodeState(text);
    assert.equal(posts.get('a'), null);
    assert.deepEqual(prices.get('1')?.quotes, new Map([['t', { bid: 1 }]]));
  });

  it('writes a line for each actor, the ages first, and reads them one by one', () => {
    const state = emptyState();
    run(log([0, settings()], [0, post()], [1_000, { kind: 'tick', ages: {} }]), state);
    const lines = [...encodeStateLines(state)];
    assert.ok(lines.every((line) => line.endsWith('\n') && !line.slice(0, -1).includes('\n')));
    assert.ok(lines[0]?.startsWith('["freshness",'));
    const reader = createStateReader();
    for (const line of lines) reader.read(line);
    assert.deepEqual(reader.state(), state);
  });

  it('ignores a pipeline that there is no more', () => {
    assert.deepEqual(decodeState('["gone","a",{}]\n'), emptyState());
  });

  it('keeps an actor that failed out of service', () => {
    const state = emptyState();
    state.posts.set('a', null);
    assert.equal(decodeState(encodeState(state)).posts.get('a'), null);
  });

  it('does not take a text for a mark of its own', () => {
    const state = emptyState();
    run(log([0, settings()], [0, post({ text: '{"$map":[]}', url: '$set' })]), state);
    assert.deepEqual(decodeState(encodeState(state)), state);
  });

  it('gives each account its own events of a text in which they are all together', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const whole = emptyState();
        run(log, whole);
        const parts = [...whole.events.values()].flatMap((part) => part ?? []);
        const all = {
          facts: new Map(parts.flatMap(({ facts }) => [...facts])),
          trackings: new Map(parts.flatMap(({ trackings }) => [...trackings])),
          records: new Map(parts.flatMap(({ records }) => [...records])),
          changedAt: new Map(),
          settled: new Map(),
          nextPhaseAt: 0,
          lookedAt: 0,
        };
        const { events } = decodeState(encodeState({ ...whole, events: new Map([['all', all]]) }));
        const mapsOf = (state: GraphState['events']) =>
          new Map(
            Array.from(state, ([key, part]) => [key, [part?.facts, part?.trackings, part?.records]] as const)
              // An actor that has forgotten everything leaves no trace.
              .filter(([, maps]) => maps.some((map) => map !== undefined && map.size > 0)),
          );
        assert.deepEqual(mapsOf(events), mapsOf(whole.events));
      }),
      { numRuns: 50 },
    );
  });

  it('throws on a text that is no state', () => {
    assert.throws(() => decodeState('{"posts":'), SyntaxError);
  });
});
