import assert from 'node:assert/strict';
import { basisText, originText, proofText } from '../../src/dashboard/record-text.ts';

describe('a track record as text', () => {
  it('names the rival that the model was better than', () => {
    assert.deepEqual(
      ([[], ['pace'], ['pace', 'market'], ['market']] as const).map((rivals) =>
        proofText({ proven_against: [...rivals] }),
      ),
      [
        'nothing shown yet',
        'better than constant pace, not shown against the market',
        'better than the market',
        'better than the market',
      ],
    );
  });

  it('counts live and back-filled forecasts, and those with prices', () => {
    const record = { horizon: 24, n_live: 0, n_backfilled: 1_056, n_market: 0, proven_against: [] };
    assert.equal(basisText(record), '0 live and 1,056 back-filled forecasts at 24 h, 0 with market prices');
    assert.equal(
      basisText({ ...record, horizon: null }),
      'forecasts over 72 h before the close are never scored',
    );
  });

  it('says back-filled for what the interface calls history', () => {
    assert.deepEqual([originText('live'), originText('history')], ['live', 'back-filled']);
  });
});
