import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cryptoSlugs } from '../../../src/sources/crypto/crypto-slugs.ts';

const NAMES = { symbol: 'BTC', pair: 'BTCUSDT', slugNames: ['bitcoin', 'btc'] };

describe('cryptoSlugs', () => {
  const slugsAt = (iso: string) => cryptoSlugs(NAMES, Date.parse(iso)).map(({ slug }) => slug);

  it('names the windows open now and next, in the time of the rules', () => {
    assert.deepEqual(slugsAt('2026-07-18T03:20:00Z'), [
      'btc-updown-15m-1784344500',
      'btc-updown-4h-1784332800',
      'bitcoin-up-or-down-july-17-2026-11pm-et',
      'bitcoin-up-or-down-on-july-18',
      'bitcoin-above-on-july-18',
      'bitcoin-price-on-july-18',
      'btc-updown-15m-1784345400',
      'btc-updown-4h-1784347200',
      'bitcoin-up-or-down-july-18-2026-12am-et',
      'bitcoin-up-or-down-on-july-19',
      'bitcoin-above-on-july-19',
      'bitcoin-price-on-july-19',
    ]);
  });

  it('names a daily window after the day on whose noon it ends', () => {
    const daily = (iso: string) => slugsAt(iso).filter((slug) => slug.includes('price-on'));
    assert.deepEqual(daily('2026-07-18T15:59:59Z'), ['bitcoin-price-on-july-18', 'bitcoin-price-on-july-19']);
    assert.deepEqual(daily('2026-07-18T16:00:00Z'), ['bitcoin-price-on-july-19', 'bitcoin-price-on-july-20']);
  });

  it('gives each slug its window: six that hold the instant, and those that follow on them', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2024-01-01'), max: new Date('2034-01-01'), noInvalidDate: true }),
        (date) => {
          const guesses = cryptoSlugs(NAMES, date.getTime());
          const [open, next] = [guesses.slice(0, 6), guesses.slice(6)];
          assert.equal(next.length, 6);
          for (const [index, { slug, startAt, endAt }] of open.entries()) {
            assert.ok(startAt <= date.getTime() && date.getTime() < endAt, slug);
            assert.equal(next[index]?.startAt, endAt);
            assert.ok(endAt < (next[index]?.endAt ?? 0));
          }
        },
      ),
    );
  });
});
