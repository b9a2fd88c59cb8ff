import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  createStateReader,
  decodeState,
  emptyState,
  encodeState,
  encodeStateLines,
  type GraphState,
  readPutOff,
} from '../../streams/internal.ts';
import { DeferredMap } from '../../streams/model/deferred-map.ts';
import { IdSet } from '../../streams/model/id-set.ts';
import { TimeList } from '../../streams/model/time-list.ts';
import { log, post, settings } from '../support/facts.ts';
import { anyLog } from '../support/observations.ts';
import { run } from './pipelines/run.ts';

/** A state with all its maps as usual ones. */
function allRead(state: GraphState): GraphState {
  const read = (value: unknown) => (value instanceof DeferredMap ? new Map(value) : value);
  const actors = Object.values(state).flatMap((states: GraphState[keyof GraphState]) => [...states.values()]);
  for (const actor of actors) {
    for (const [field, value] of Object.entries(actor ?? {}))
      Object.assign(actor ?? {}, { [field]: read(value) });
  }
  return state;
}

/** A state as an earlier version of the program wrote it: a line for each actor, with lists of all times and ids. */
function earlierText(text: string): string {
  let entries: string[] = [];
  const before = (_name: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$line' in value) return { $map: JSON.parse(entries[Number(value.$line) - 1] ?? '', before) };
    if ('$times' in value && typeof value.$times === 'string')
      return [...TimeList.from({ $times: value.$times }).times];
    if (!('$idSteps' in value && 'others' in value)) return value;
    const ids = IdSet.from({ $idSteps: String(value.$idSteps), others: [] });
    return { $ids: [...ids].join(' '), others: value.others };
  };
  const lines: string[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const areEntries = line.startsWith('[[') || line === '[]';
    if (areEntries) entries.push(line);
    else lines.push(JSON.stringify(JSON.parse(line, before)));
    if (!areEntries) entries = [];
  }
  return lines.join('\n');
}

const linesOf = (state: GraphState) =>
  Array.from(encodeStateLines(state), (line) => Buffer.from(line).toString());

describe('checkpoint', () => {
  it('brings any state back as it was, maps and sets and the order of their keys', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const state = emptyState();
        run(log, state);
        const text = encodeState(state);
        const again = decodeState(text);
        assert.equal(encodeState(again), text);
        assert.deepEqual(allRead(again), state);
        assert.equal(encodeState(again), text);
      }),
      { numRuns: 100 },
    );
  });

  it('reads any state as an earlier version wrote it, and writes it as now', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const state = emptyState();
        run(log, state);
        const text = encodeState(state);
        const earlier = earlierText(text);
        assert.doesNotMatch(earlier, /\$line|\$times|\$idSteps/);
        assert.equal(encodeState(decodeState(earlier)), text);
      }),
      { numRuns: 50 },
    );
  });

  it('writes large maps on lines of their own, and does not read them before they are asked for', () => {
    const state = emptyState();
    run(log([0, settings()], [0, post()]), state);
    const lines = linesOf(state);
    const open = lines.findIndex((line) => line.startsWith('["posts",')) - 1;
    assert.ok(lines[open]?.startsWith('[['));
    const again = decodeState(lines.toSpliced(open, 1, '[[no JSON]]\n').join(''));
    assert.equal(again.posts.get('a')?.sweepAt, state.posts.get('a')?.sweepAt);
    assert.throws(() => again.posts.get('a')?.open.size, SyntaxError);
  });

  it('reads what requests to the model need ahead, account by account, which changes nothing', () => {
    const state = emptyState();
    run(log([0, settings()], [0, post()]), state);
    const lines = linesOf(state);
    const again = decodeState(lines.join(''));
    assert.equal([...readPutOff(again)].length, again.forecast.size);
    assert.equal(encodeState(again), encodeState(state));
    const past = lines.findIndex((line) => line.startsWith('["forecast",')) - 1;
    const damaged = decodeState(lines.toSpliced(past, 1, '[[no JSON]]\n').join(''));
    assert.throws(() => [...readPutOff(damaged)], SyntaxError);
  });

  it('throws on a text that has lost the line of a map', () => {
    const state = emptyState();
    run(log([0, settings()], [0, post()]), state);
    const lines = linesOf(state).filter((line) => !line.startsWith('[['));
    assert.throws(() => decodeState(lines.join('')), /the line of a map is missing/);
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

  it('writes lines for each actor, the ages first, and reads them one by one', () => {
    const state = emptyState();
    run(log([0, settings()], [0, post()], [1_000, { kind: 'tick', ages: {} }]), state);
    const lines = linesOf(state);
    assert.ok(lines.every((line) => line.endsWith('\n') && !line.slice(0, -1).includes('\n')));
    assert.ok(lines[0]?.startsWith('["freshness",'));
    const reader = createStateReader();
    for (const line of lines) reader.read(Buffer.from(line));
    assert.deepEqual(allRead(reader.state()), state);
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
    assert.deepEqual(allRead(decodeState(encodeState(state))), state);
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
