import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FEED_CAUSES } from '../../../src/contract/feed.ts';
import { decodeFrame, encodeFrame } from '../../../src/feed/log/frame-codec.ts';
import { viewOf } from '../../../src/views/view.ts';
import { NOON } from '../../support/outputs.ts';
import { changeOf, topicOf } from '../memory-readers.ts';

describe('a stored frame', () => {
  it('reads as it was written, in every view', () =>
    fc.assert(
      fc.property(
        fc.record({
          key: fc.string({ unit: 'binary' }),
          causes: fc.array(fc.constantFrom(...FEED_CAUSES)),
          views: fc.array(fc.jsonValue(), { maxLength: 2 }),
        }),
        ({ key, causes, views }) => {
          const topic = topicOf('prediction');
          const lines = views.map((view) => JSON.stringify(view));
          const isGone = lines.length === 0;
          const frame = { ...changeOf('prediction', key), causes, isGone, lines, seq: 5 };
          const decoded = decodeFrame(topic, encodeFrame(frame));
          const { data, ...rest } = decoded;
          assert.deepEqual(rest, { topic, seq: 5, at: NOON, causes, key, isGone });
          const [pro = 'null', free = pro] = lines;
          assert.deepEqual([data(viewOf(topic, 'PRO')), data(viewOf(topic, 'FREE'))], [pro, free]);
        },
      ),
    ));
});
