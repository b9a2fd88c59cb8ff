import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Book } from '../../../streams/model/bucket-signal.ts';
import { noWeighings, weighedBuckets } from '../../../streams/pipelines/weighed-buckets.ts';
import { bucket, predictedBucket } from '../../support/outputs.ts';

const ranges = [
  { lo: 0, hi: 19 },
  { lo: 20, hi: 39 },
  { lo: 40, hi: null },
];
const listed = ranges.map((range) => bucket({ ...range, yesToken: `yes-${range.lo}` }));
const share = fc.double({ min: 0, max: 1, noNaN: true });
const anyBook = fc.record({ bid: fc.option(share), ask: fc.option(share), price: fc.option(share) });

const anyChange = fc.oneof(
  fc.record({ token: fc.constantFrom('yes-0', 'yes-20', 'yes-40'), book: anyBook }),
  fc.record({ real: fc.option(fc.nat({ max: 60 })) }),
  fc.record({ p50: fc.nat({ max: 60 }) }),
  fc.record({ probs: fc.array(share, { minLength: 3, maxLength: 3 }) }),
  fc.record({ obstacle: fc.constantFrom(null, 'OLD_FORECAST' as const) }),
  fc.record({ title: fc.string() }),
);

describe('weighedBuckets', () => {
  it('says the same whether it remembers how buckets were weighed or not', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 40 }), (changes) => {
        const books = new Map<string, Book>();
        const remembered = noWeighings();
        let facts: Parameters<typeof weighedBuckets>[0] = {
          buckets: listed,
          real: null,
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
          assert.deepEqual(weighedBuckets(facts, remembered), weighedBuckets(facts, noWeighings()));
        }
      }),
    );
  });

  it('leaves a bucket as it is whose inputs are the same', () => {
    const books = new Map(listed.map(({ yesToken }) => [yesToken, { bid: 0.2, ask: 0.22, price: 0.21 }]));
    const facts = { buckets: listed, real: 0, predicted: null, obstacle: null, p50: null } as const;
    const weighings = noWeighings();
    const weigh = () => weighedBuckets({ ...facts, bookOf: (token) => books.get(token) }, weighings);
    const before = weigh();
    books.set('yes-20', { bid: 0.3, ask: 0.32, price: 0.31 });
    const after = weigh();
    assert.deepEqual(
      after.map((signal, place) => signal === before[place]),
      [true, false, true],
    );
  });
});
