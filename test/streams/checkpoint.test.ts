import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeState, emptyState, encodeState, encodeStateBytes } from '../../streams/internal.ts';
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
        assert.equal(new TextDecoder().decode(encodeStateBytes(state)), text);
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

  it('throws on a text that is no state', () => {
    assert.throws(() => decodeState('{"posts":'), SyntaxError);
  });
});
