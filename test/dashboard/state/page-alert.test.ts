import assert from 'node:assert/strict';
import {
  MOST_ALERTS,
  type PageAlert,
  readAlerts,
  writeAlerts,
} from '../../../src/dashboard/state/page-alert.ts';

const ALERT: PageAlert = {
  id: 'x1',
  account: 'account_a',
  event: 7,
  bucket: '20-39',
  when: { figure: 'edge', sign: '>=', value: 0.1 },
};

describe('the alerts of the page in a storage', () => {
  it('are read as they were written, with the condition as rules of the server have it', () => {
    const all = [ALERT, { ...ALERT, id: 'x2', event: null, bucket: null }];
    assert.deepEqual(readAlerts(writeAlerts(all)), all);
    assert.match(writeAlerts(all), /"when":"edge >= 0.1"/);
  });

  it('are those that can be understood, whatever else is there', () => {
    assert.deepEqual(readAlerts(null), []);
    for (const text of ['', '{', '{}', 'null', '[null, 3, {}, {"id":"x"}]']) {
      assert.deepEqual(readAlerts(text), [], text);
    }
    const unknown = JSON.stringify([{ id: 'x', account: 'a', when: 'luck >= 1' }]);
    assert.deepEqual(readAlerts(unknown), []);
  });

  it('are not more than anybody wants', () => {
    const many = Array.from({ length: MOST_ALERTS + 5 }, (_, place) => ({ ...ALERT, id: String(place) }));
    assert.equal(readAlerts(writeAlerts(many)).length, MOST_ALERTS);
  });
});
