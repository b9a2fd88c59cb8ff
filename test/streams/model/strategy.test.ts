import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pickOrder } from '../../../streams/model/strategy.ts';

const buy = (prob: number) => ({ action: 'BUY', prob }) as const;
const hold = (prob: number) => ({ action: 'HOLD', prob }) as const;

describe('pickOrder', () => {
  it('buys the predicted bucket and the one below when both are worth it', () => {
    const order = pickOrder([hold(0.1), buy(0.2), buy(0.4), buy(0.9)], 2);
    assert.deepEqual(order, { strategy: 'TWO_BUCKET', places: [2, 1] });
  });

  it('else buys the one that the model gives at least one half', () => {
    const single = { strategy: 'SINGLE_BUCKET' };
    assert.deepEqual(pickOrder([buy(0.2), hold(0.2), buy(0.6)], 1), { ...single, places: [2] });
    assert.deepEqual(pickOrder([hold(0.2), buy(0.5), buy(0.3)], 1), { ...single, places: [1] });
    assert.deepEqual(pickOrder([buy(0.5), buy(0.3)], 0), { ...single, places: [0] });
  });

  it('makes no order of the most probable among improbable ones', () => {
    assert.equal(pickOrder([buy(0.2), hold(0.45), buy(0.35)], 1), null);
    assert.equal(pickOrder([hold(0.1), buy(0.4999)], 1), null);
  });

  it('buys nothing but what is worth it, and one bucket alone only with conviction', () => {
    const anyBucket = fc.record({
      action: fc.constantFrom('BUY', 'SELL', 'HOLD', 'SKIP'),
      prob: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(anyBucket), fc.integer({ min: -1, max: 12 }), (buckets, predicted) => {
        const order = pickOrder(buckets, predicted);
        const isConvincing = ({ action, prob }: (typeof buckets)[number]) =>
          action === 'BUY' && (prob ?? 0) >= 0.5;
        if (order === null) assert.ok(!buckets.some(isConvincing));
        if (order?.strategy === 'SINGLE_BUCKET') {
          const [place = -1] = order.places;
          const best = buckets[place];
          assert.ok(best && isConvincing(best));
          assert.ok(buckets.filter(isConvincing).every(({ prob }) => (prob ?? 0) <= (best.prob ?? 0)));
        }
        for (const place of order?.places ?? []) assert.equal(buckets[place]?.action, 'BUY');
        if (order?.strategy === 'TWO_BUCKET') assert.deepEqual(order.places, [predicted, predicted - 1]);
        else assert.ok((order?.places.length ?? 1) === 1);
      }),
    );
  });
});
