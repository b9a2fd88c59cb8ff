import assert from 'node:assert/strict';
import { createHttpServer } from '../../src/server/http.ts';
import { createStandbyApp } from '../../src/server/standby-app.ts';

describe('what a standby answers', () => {
  it('is its probes, and that readers go elsewhere', async () => {
    const http = createHttpServer(createStandbyApp({ isLive: () => true, isReady: () => false }));
    const url = await http.listen(0, '127.0.0.1');
    try {
      const statusOf = async (path: string, method = 'GET') => (await fetch(url + path, { method })).status;
      assert.equal(await statusOf('/livez'), 200);
      assert.equal(await statusOf('/readyz?x=1'), 503);
      assert.equal(await statusOf('/api/v1/waitlist', 'POST'), 503);
      const answer = await fetch(`${url}/api/v1/health`);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '5');
      assert.match(await answer.text(), /"code":"standing_by"/);
    } finally {
      await http.drain({ noticeMs: 0, deadlineMs: 0 });
    }
  });
});
