import assert from 'node:assert/strict';
import { openCallLogs } from '../../../src/store/lmdb/call-log.ts';
import { openEnvironment } from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { withFolder } from '../../support/store-records.ts';

describe('openCallLogs', () => {
  it('reads batches without the time since boot, and events of a ledger that have none either', () =>
    withFolder(async (folder) => {
      await (await openStore(folder)).close();
      const environment = await openEnvironment(folder, { isReadOnly: false });
      try {
        await environment.root.batch(() => {
          void environment.calls.put(1, '[1000,[["a:1",7,2]]]');
          void environment.calls.put(2, '[2000,[],["granted"]]');
        });
        const { calls, grants } = openCallLogs(environment);
        const old = { at: 1_000, sinceBoot: null, callers: [{ caller: 'a:1', calls: [[993, 2]] }] };
        const later = { at: 3_000, sinceBoot: 90_000, callers: [] };
        await calls.append(later, 0);
        assert.deepEqual(calls.all(), [old, later]);
        assert.deepEqual(grants.all(), ['granted']);
      } finally {
        await environment.close();
      }
    }));
});
