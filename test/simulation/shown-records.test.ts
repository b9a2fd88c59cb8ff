import assert from 'node:assert/strict';
import { recordsOfAnswer, recordsOfFrame } from './shown-records.ts';

describe('recordsOfAnswer', () => {
  it('names the channel, the account and the record by the path and its fields', () => {
    const places = (path: string, record: object) =>
      recordsOfAnswer(path, JSON.stringify({ timestamp: 1, data: [record] })).map(
        ({ channel, account, key }) => `${channel} ${account} ${key}`,
      );
    assert.deepEqual(places('/api/v1/meta/account_a', { event_id: 5 }), ['counters account_a 5']);
    assert.deepEqual(places('/api/v1/meta/account_a/tweets?limit=3', { tweet_id: '7' }), [
      'tweets account_a 7',
    ]);
    assert.deepEqual(places('/api/v1/meta/crypto', { event_id: 5 }), ['crypto null 5']);
    assert.deepEqual(places('/api/v1/signals/account_b', { event_id: 5 }), ['signals account_b 5']);
    assert.deepEqual(places('/api/v1/portfolio/account_a?wallet=0x', {}), ['portfolio account_a undefined']);
    assert.deepEqual(places('/api/v1/portfolio/account_a/rebalancing?wallet=0x', {}), [
      'rebalancing account_a undefined',
    ]);
    assert.deepEqual(places('/api/v1/health', {}), []);
  });
});

describe('recordsOfFrame', () => {
  const frame = (type: string, data: unknown) =>
    recordsOfFrame(JSON.stringify({ type, channel: 'counters', account: 'account_a', ts: 9, data }));

  it('takes the records of snapshots and updates, and nothing of others', () => {
    assert.deepEqual(
      frame('snapshot', [{ event_id: 1 }, { event_id: 2 }]).map(({ key }) => key),
      ['1', '2'],
    );
    assert.deepEqual(
      frame('update', { event_id: 3 }).map(({ key }) => key),
      ['3'],
    );
    assert.deepEqual(frame('update', null), []);
    assert.deepEqual(frame('heartbeat', { event_id: 3 }), []);
  });
});
