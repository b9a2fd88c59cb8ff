import assert from 'node:assert/strict';
import { type Crossing, crossingNote, crossingText } from '../../src/dashboard/crossing-text.ts';
import { leftBucket, NO_LAGS, nearEdge } from './crossings.ts';

const SHARED = {
  text: '',
  real_counter: 121,
  market_oracle_counter: 119,
  market_ui_counter: null,
  oracle_lag: NO_LAGS,
} as const;

/** With an expected value where a record carries one, whatever its kind. */
function valued(crossing: Crossing): Crossing {
  return Object.assign(crossing, { expected_value_usd: 7 });
}

describe('a crossing as text', () => {
  it('says what to do about a bucket that our own count has left, its worth and how long a lead lasts', () => {
    assert.equal(
      crossingText(leftBucket({})),
      "our count of 121 is above 100-119, the oracle's of 119 is not, and somebody still pays 19.0 % for 300 shares. Sell Yes if held",
    );
    assert.equal(
      crossingNote(leftBucket({})),
      'worth $52.20 on average, $55.20 if it loses; the oracle takes 61.0 s for half of all posts, 3.0 min for nine of ten',
    );
  });

  it('leaves out what is not known', () => {
    const unknown = leftBucket({
      bid_size: null,
      gain_usd: null,
      expected_value_usd: null,
      oracle_lag: NO_LAGS,
    });
    assert.match(crossingText(unknown), /pays 19\.0 %\. Sell/);
    assert.equal(crossingNote(unknown), '');
  });

  it('says how near the next bucket is, and when buying it is worth something', () => {
    assert.equal(
      crossingText(nearEdge({})),
      '1 post from 140-159: 59.4 % likely within 15 min at the pace of the last hour',
    );
    assert.match(crossingText(nearEdge({ posts_to_next: 2 })), /^2 posts from/);
    assert.match(
      crossingNote(nearEdge({ expected_value_usd: 3.2 })),
      /^worth \$3\.20 on average; the oracle/,
    );
  });

  it('says since when the oracle stalls', () => {
    const stalled = {
      ...{ kind: 'oracle_stalled' as const, ...SHARED },
      waiting: 3,
      since_ts: Date.UTC(2026, 10, 17, 12, 4, 11),
      limit_ms: 300_000,
    } as Crossing;
    assert.match(
      crossingText(stalled),
      /^the oracle stalls: 3 posts not counted by it, the oldest since \d\d:04:11; more than 5\.0 min is unusual$/,
    );
    assert.equal(crossingNote(valued(stalled)), 'worth $7.00 on average');
  });

  it('says which buckets the counts are in when the settled one may be another', () => {
    const flip = {
      ...{ kind: 'flip_likely' as const, ...SHARED },
      flip_risk: 0.12,
      real_bucket: '120-139',
      oracle_bucket: null,
    } as Crossing;
    assert.equal(
      crossingText(flip),
      "12.0 % likely that another bucket settles than the counts show at the close: our 121 is in 120-139, the oracle's 119 in no bucket",
    );
    assert.equal(crossingNote(valued(flip)), 'worth $7.00 on average');
  });
});
