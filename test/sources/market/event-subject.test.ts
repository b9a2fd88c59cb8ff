import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AccountEndpoint } from '../../../src/sources/endpoints.ts';
import { createSubjects } from '../../../src/sources/market/event-subject.ts';
import { ACCOUNT, localEndpoints } from '../../support/endpoints.ts';

const { crypto } = localEndpoints({ url: 'http://market.invalid', socketUrl: 'ws://market.invalid' });

describe('createSubjects', () => {
  const word: fc.Arbitrary<string> = fc.constantFrom('a', 'aa', 'ab', 'b', 'a-b', 'b-a');
  const lists = fc.array(
    fc.record({
      seriesSlugs: fc.array(word, { maxLength: 2 }),
      slugPrefixes: fc.array(word, { maxLength: 2 }),
    }),
    { maxLength: 5 },
  );
  const sketches = fc.record({
    slug: fc.option(fc.array(word).map((words) => words.join('-'))),
    seriesSlug: fc.option(word),
    series: fc.array(fc.record({ slug: fc.option(word) }), { maxLength: 2 }),
  });

  it('finds the first account that has one of the series or a prefix of the slug', () => {
    fc.assert(
      fc.property(lists, sketches, (names, sketch) => {
        const accounts = names.map(
          (each, index): AccountEndpoint => ({ ...ACCOUNT, ...each, id: `n${index}` }),
        );
        const series = [sketch.seriesSlug, ...sketch.series.map(({ slug }) => slug)];
        const first = accounts.find(
          ({ seriesSlugs, slugPrefixes }) =>
            seriesSlugs.some((one) => series.includes(one)) ||
            slugPrefixes.some((prefix) => sketch.slug?.startsWith(prefix)),
        );
        const found = createSubjects({ accounts, crypto })({ ...sketch, id: 1, eventMetadata: null });
        assert.deepEqual(found, first === undefined ? null : { type: 'posts', account: first.id });
      }),
    );
  });

  it('knows events about prices by their slugs', () => {
    const subjectOf = createSubjects({ accounts: [ACCOUNT], crypto });
    const kind = (slug: string) => {
      const subject = subjectOf({ id: 1, slug, seriesSlug: null, series: [], eventMetadata: null });
      return subject?.type === 'crypto' ? subject.kind : null;
    };
    assert.deepEqual(
      ['btc-updown-15m-1', 'bitcoin-above-on-may-1', 'bitcoin-price-on-may-1', 'dogecoin-above-on-may-1'].map(
        kind,
      ),
      ['UP_DOWN', 'LADDER', 'RANGE', null],
    );
  });
});
