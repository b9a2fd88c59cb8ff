import assert from 'node:assert/strict';
import { createAlertStorage } from '../../../src/dashboard/state/alert-storage.ts';

function createItems() {
  const items = new Map<string, string>();
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  };
}

describe('what pages remember of alerts', () => {
  it('is the alerts and what their text leaves of them', () => {
    const storage = createAlertStorage(createItems());
    assert.deepEqual(storage.alerts(), []);
    const when = { figure: 'edge', sign: '>=', value: 0.1 } as const;
    const alert = { id: 'x', account: 'account_a', event: null, bucket: null, when };
    storage.keep([alert]);
    assert.deepEqual(storage.alerts(), [alert]);
  });

  it('has a sound until somebody wants none', () => {
    const storage = createAlertStorage(createItems());
    assert.equal(storage.isSoundOn(), true);
    storage.setSound(false);
    assert.equal(storage.isSoundOn(), false);
  });
});
