import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Place } from '../../../src/feed/delivery/reader.ts';
import { openFrameLog } from '../../../src/feed/log/frame-log.ts';
import { eventIds, parseEventId } from '../../../src/feed/transport/event-id.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { createMemoryFrames } from '../../support/memory-store/frames.ts';
import { MemoryReader, TOPICS } from '../memory-readers.ts';

const anyPlace: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ type: fc.constantFrom('replay', 'live'), seq: fc.nat(), upToDateBytes: fc.nat() }),
  fc.record({ type: fc.constantFrom('snapshot', 'unnumbered') }),
);

describe('the id of an event', () => {
  it('reads as the place in every topic of which something was sent, the event itself included', () =>
    fc.assert(
      fc.property(fc.array(anyPlace, { maxLength: TOPICS.length }), fc.nat(), (places, sentSeq) => {
        const { epoch, state } = openFrameLog({
          window: createMemoryFrames(),
          topics: TOPICS,
          report: fail,
        });
        const reader = new MemoryReader();
        for (const [index, topic] of TOPICS.entries()) {
          const place = places[index];
          if (place === undefined) continue;
          const subscription = {
            reader,
            state: state(topic),
            audience: audienceOf(topic.audiences, 'PRO'),
            place,
          };
          reader.subscriptions.set(topic.name, subscription);
        }
        const [sent] = reader.subscriptions.values();
        const expected = [...reader.subscriptions].flatMap(([name, subscription]) => {
          const { place } = subscription;
          const before = 'seq' in place ? [[name, { epoch, seq: place.seq }] as const] : [];
          return subscription === sent ? [[name, { epoch, seq: sentSeq }] as const] : before;
        });
        assert.deepEqual(parseEventId(eventIds(epoch, reader, sent)(sentSeq)), new Map(expected));
      }),
    ));

  it('that is not one of ours gives no cursors', () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/;[\w/-]+=\d/.test(text));
        assert.equal(parseEventId(text).size, 0);
      }),
    ));
});

function fail(error: unknown): void {
  assert.fail(String(error));
}
