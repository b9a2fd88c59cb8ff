import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChannelName } from '../../../src/contract/feed/names.ts';
import { type Change, createNumbering, type Numbering } from '../../../src/feed/log/numbering.ts';
import { NOON } from '../../support/outputs.ts';
import { changeOf, TOPICS, topicOf } from '../memory-readers.ts';

const CHANNELS = ['counters', 'tweets', 'test'] as const satisfies readonly ChannelName[];
const anyChange: fc.Arbitrary<Change> = fc
  .record({
    channel: fc.constantFrom(...CHANNELS),
    key: fc.constantFrom('1', '2', '3'),
    isGone: fc.boolean(),
    at: fc.integer({ min: NOON, max: NOON + 1_000 }),
  })
  .map(({ channel, key, isGone, at }) => ({
    ...changeOf(channel, key, isGone && channel !== 'tweets' ? null : { at }),
    at,
  }));
const anyChanges = fc.array(anyChange, { maxLength: 60 });

const storedOf = (numbering: Numbering) => numbering.toStore(TOPICS);

describe('the numbering of frames', () => {
  it('counts from 1 without gaps in each topic, whatever happens in the others', () =>
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const numbering = createNumbering(TOPICS, []);
        const frames = changes.map(numbering.number);
        for (const channel of CHANNELS) {
          const seqs = frames.filter(({ topic }) => topic.channel.name === channel).map(({ seq }) => seq);
          assert.deepEqual(
            seqs,
            seqs.map((_, index) => index + 1),
          );
        }
      }),
    ));

  it('continues after a restart as if there had been none', () =>
    fc.assert(
      fc.property(anyChanges, anyChanges, (before, after) => {
        const whole = createNumbering(TOPICS, []);
        const seqs = [...before, ...after].map((change) => whole.number(change).seq);
        const first = createNumbering(TOPICS, []);
        const seqsBefore = before.map((change) => first.number(change).seq);
        const second = createNumbering(TOPICS, storedOf(first));
        for (const topic of TOPICS) {
          const [{ seq } = { seq: 0 }] = first.toStore([topic]);
          assert.equal(second.state(topic).publishedSeq, seq);
        }
        const seqsAfter = after.map((change) => second.number(change).seq);
        assert.deepEqual([...seqsBefore, ...seqsAfter], seqs);
        assert.deepEqual(storedOf(second), storedOf(whole));
      }),
    ));

  it('knows the keys that have a record and when each last changed, and none of a lossless topic', () =>
    fc.assert(
      fc.property(anyChanges, (changes) => {
        const numbering = createNumbering(TOPICS, []);
        for (const change of changes) numbering.number(change);
        for (const channel of CHANNELS) {
          const own = changes.filter(({ topic }) => topic.channel.name === channel);
          const last = new Map(own.map((change) => [change.key, change]));
          const live = [...last.values()].filter(({ isGone }) => !isGone && channel !== 'tweets');
          assert.deepEqual(numbering.live(topicOf(channel)), new Map(live.map(({ key, at }) => [key, at])));
        }
      }),
    ));

  it('shows readers only what is published: the last seq, which frame of each key is the newest, bytes of a lossless topic', () =>
    fc.assert(
      fc.property(anyChanges, fc.nat({ max: 60 }), (changes, count) => {
        const numbering = createNumbering(TOPICS, []);
        const frames = changes.map(numbering.number);
        const published = frames.slice(0, count);
        for (const frame of published) numbering.markPublished(frame);
        for (const channel of CHANNELS) {
          const own = published.filter(({ topic }) => topic.channel.name === channel);
          const { publishedSeq, newest, publishedBytes } = numbering.state(topicOf(channel));
          assert.equal(publishedSeq, own.length);
          const isLossless = channel === 'tweets';
          const places = own.map(({ key, seq, at, isGone }) => [key, { seq, at, isGone }] as const);
          assert.deepEqual(newest, new Map(isLossless ? [] : places));
          const bytes = own.reduce((sum, { record }) => sum + Buffer.byteLength(record ?? ''), 0);
          assert.equal(publishedBytes, isLossless ? bytes : 0);
        }
      }),
    ));

  it('forgets keys that were gone before a time, and no others', () => {
    const numbering = createNumbering(TOPICS, []);
    const at = (change: Change, ms: number) =>
      numbering.markPublished(numbering.number({ ...change, at: ms }));
    at(changeOf('counters', 'gone long ago', null), NOON);
    at(changeOf('counters', 'gone', null), NOON + 10);
    at(changeOf('counters', 'old'), NOON);
    numbering.forgetGone(NOON + 10);
    assert.deepEqual([...numbering.state(topicOf('counters')).newest.keys()], ['gone', 'old']);
  });

  it('leaves out stored topics that are no longer configured', () => {
    const numbering = createNumbering(TOPICS, [{ topic: 'counters/account_z', seq: 7, keys: ['1'] }]);
    assert.equal([...numbering.states()].length, TOPICS.length);
    assert.ok([...numbering.states()].every(({ publishedSeq, topic }) => publishedSeq === topic.firstCursor));
  });
});
