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
  it('lets one of several pages tell of the same crossing', () => {
    const items = createItems();
    const [one, other] = [createAlertStorage(items), createAlertStorage(items)];
    assert.equal(one.claim('x 1', 1_000), true);
    assert.equal(other.claim('x 1', 1_004), false);
    assert.equal(other.claim('x 2', 1_004), true);
    assert.equal(other.claim('x 1', 12_000), true);
  });

  it('does not stumble over what others have written there', () => {
    for (const text of ['', '{"a":1}', '[1, null, ["x"]]']) {
      const items = createItems();
      items.setItem('alerts-told', text);
      assert.equal(createAlertStorage(items).claim('x', 5), true, text);
    }
  });

  it('has a sound until somebody wants none', () => {
    const storage = createAlertStorage(createItems());
    assert.equal(storage.isSoundOn(), true);
    storage.setSound(false);
    assert.equal(storage.isSoundOn(), false);
  });
});
