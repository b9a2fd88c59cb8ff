import assert from 'node:assert/strict';
import { createHttpServer } from '../../src/server/http.ts';
import type { Operations } from '../../src/server/operations.ts';
import { createOperatorApp } from '../../src/server/operator-app.ts';

describe('createOperatorApp', () => {
  it('serves probes and metrics without a key, and nothing else', async () => {
    const operations: Operations = {
      health: () => ({ status: 'ok', history_percent: {}, stale: [], refusing: [] }),
      isReady: () => false,
      isLive: () => true,
      metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'figure 1\n' }),
      requestServed: () => undefined,
    };
    const failures: unknown[] = [];
    const http = createHttpServer(createOperatorApp(operations, (error) => failures.push(error)));
    const url = await http.listen(0, '127.0.0.1');
    try {
      const seen = async (path: string, method = 'GET') => {
        const response = await fetch(url + path, { method });
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        return [response.status, await response.text()];
      };
      assert.deepEqual(await seen('/metrics'), [200, 'figure 1\n']);
      assert.deepEqual(await seen('/metrics', 'HEAD'), [200, '']);
      assert.deepEqual(await seen('/livez'), [200, '{"status":"alive"}']);
      assert.deepEqual(await seen('/readyz'), [503, '{"status":"not_ready"}']);
      assert.equal((await seen('/api/v1/health'))[0], 404);
      assert.deepEqual(failures, []);
    } finally {
      await http.drain({ noticeMs: 0, deadlineMs: 0 });
    }
  });
});
