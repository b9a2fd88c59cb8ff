import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FEED_CAUSES } from '../../../src/contract/feed/names.ts';
import { decodeFrame, encodeFrame } from '../../../src/feed/log/frame-codec.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { NOON } from '../../support/outputs.ts';
import { changeOf, topicOf } from '../memory-readers.ts';

const PRO = audienceOf('tier', 'PRO');

describe('a stored frame', () => {
  it('reads as it was written', () =>
    fc.assert(
      fc.property(
        fc.record({
          key: fc.string({ unit: 'binary' }),
          causes: fc.array(fc.constantFrom(...FEED_CAUSES)),
          record: fc.option(fc.jsonValue().map((value) => JSON.stringify(value))),
        }),
        ({ key, causes, record }) => {
          const topic = topicOf('prediction');
          const isGone = record === null;
          const frame = { ...changeOf('prediction', key), causes, isGone, record, seq: 5 };
          const decoded = decodeFrame(topic, encodeFrame(frame));
          const { data, ...rest } = decoded;
          assert.deepEqual(rest, { topic, seq: 5, at: NOON, causes, key, isGone, record });
          assert.equal(data(PRO), record ?? 'null');
        },
      ),
    ));

  it('of an older program, with a line for each tier, reads as it did for PRO', () => {
    const row = { topic: 'prediction/account_a', seq: 5, at: NOON };
    const text = '["1",["model"],false]\n{"p50":3}\n{"free":true}';
    assert.equal(decodeFrame(topicOf('prediction'), { ...row, text }).data(PRO), '{"p50":3}');
    const gone = decodeFrame(topicOf('prediction'), { ...row, text: '["1",["event_closed"],true]' });
    assert.equal(gone.data(PRO), 'null');
  });
});
