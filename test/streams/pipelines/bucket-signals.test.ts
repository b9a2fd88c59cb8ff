import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Book } from '../../../streams/model/bucket-signal.ts';
import { bucketSignals, emptyBucketCache } from '../../../streams/pipelines/bucket-signals.ts';
import { bucket, predictedBucket } from '../../support/outputs.ts';

const ranges = [
  { lo: 0, hi: 19 },
  { lo: 20, hi: 39 },
  { lo: 40, hi: null },
];
const listed = ranges.map((range) => bucket({ ...range, yesToken: `yes-${range.lo}` }));
const share = fc.double({ min: 0, max: 1, noNaN: true });
const size = fc.option(fc.nat({ max: 1_000 }));
const anyBook = fc.record({
  ...{ bid: fc.option(share), ask: fc.option(share), price: fc.option(share) },
  ...{ bidSize: size, askSize: size },
});

const anyChange = fc.oneof(
  fc.record({ token: fc.constantFrom('yes-0', 'yes-20', 'yes-40'), book: anyBook }),
  fc.record({ real: fc.option(fc.nat({ max: 60 })) }),
  fc.record({ oracle: fc.option(fc.nat({ max: 60 })) }),
  fc.record({ forecastCount: fc.nat({ max: 60 }) }),
  fc.record({ p50: fc.nat({ max: 60 }) }),
  fc.record({ probs: fc.array(share, { minLength: 3, maxLength: 3 }) }),
  fc.record({ obstacle: fc.constantFrom(null, 'OLD_FORECAST' as const) }),
  fc.record({ title: fc.string() }),
);

describe('bucketSignals', () => {
  it('gives the same with a cache and without', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 40 }), (changes) => {
        const books = new Map<string, Book>();
        const cache = emptyBucketCache();
        let facts: Parameters<typeof bucketSignals>[0] = {
          buckets: listed,
          real: null,
          oracle: null,
          forecastCount: 0,
          predicted: null,
          obstacle: null,
          p50: null,
          bookOf: (token) => books.get(token),
        };
        for (const change of changes) {
          if ('token' in change) books.set(change.token, change.book);
          else if ('probs' in change) {
            const predicted = ranges.map((range, place) =>
              predictedBucket({ ...range, prob: change.probs[place] ?? 0 }),
            );
            facts = { ...facts, predicted };
          } else if ('title' in change) {
            facts = { ...facts, buckets: facts.buckets.map((each) => ({ ...each, title: change.title })) };
          } else facts = { ...facts, ...change };
          assert.deepEqual(bucketSignals(facts, cache), bucketSignals(facts, emptyBucketCache()));
        }
      }),
    );
  });

  it('leaves a bucket as it is whose inputs are the same', () => {
    const sizes = { bidSize: 10, askSize: 10 };
    const quoted = { bid: 0.2, ask: 0.22, price: 0.21, ...sizes };
    const books = new Map<string, Book>(listed.map(({ yesToken }) => [yesToken, quoted]));
    const counts = { real: 0, oracle: 0, forecastCount: 0 };
    const facts = { buckets: listed, ...counts, predicted: null, obstacle: null, p50: null } as const;
    const cache = emptyBucketCache();
    const evaluate = () => bucketSignals({ ...facts, bookOf: (token) => books.get(token) }, cache);
    const before = evaluate();
    books.set('yes-20', { bid: 0.3, ask: 0.32, price: 0.31, ...sizes });
    const after = evaluate();
    assert.deepEqual(
      after.map((signal, place) => signal === before[place]),
      [true, false, true],
    );
  });
});
