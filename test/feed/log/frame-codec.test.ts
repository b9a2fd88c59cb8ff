import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FEED_CAUSES } from '../../../src/contract/feed.ts';
import { decodeFrame, encodeFrame } from '../../../src/feed/log/frame-codec.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { NOON } from '../../support/outputs.ts';
import { changeOf, topicOf } from '../memory-readers.ts';

describe('a stored frame', () => {
  it('reads as it was written, in every audience', () =>
    fc.assert(
      fc.property(
        fc.record({
          key: fc.string({ unit: 'binary' }),
          causes: fc.array(fc.constantFrom(...FEED_CAUSES)),
          audiences: fc.array(fc.jsonValue(), { maxLength: 2 }),
        }),
        ({ key, causes, audiences }) => {
          const topic = topicOf('prediction');
          const lines = audiences.map((audience) => JSON.stringify(audience));
          const isGone = lines.length === 0;
          const frame = { ...changeOf('prediction', key), causes, isGone, lines, seq: 5 };
          const decoded = decodeFrame(topic, encodeFrame(frame));
          const { data, ...rest } = decoded;
          assert.deepEqual(rest, { topic, seq: 5, at: NOON, causes, key, isGone });
          const [pro = 'null', free = pro] = lines;
          assert.deepEqual(
            [data(audienceOf(topic.audiences, 'PRO')), data(audienceOf(topic.audiences, 'FREE'))],
            [pro, free],
          );
        },
      ),
    ));
});
