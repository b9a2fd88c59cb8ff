import assert from 'node:assert/strict';
import { type Running, start } from '../start.ts';

describe('the dashboard', () => {
  let running: Running;
  before(async () => {
    running = await start();
  });
  after(() => running.stop());

  const types = {
    '/': 'text/html; charset=utf-8',
    '/dashboard/page.js': 'text/javascript; charset=utf-8',
    '/dashboard/page.css': 'text/css; charset=utf-8',
  };
  for (const [path, type] of Object.entries(types)) {
    it(`answers ${path}, and 304 to whoever has it already`, async () => {
      const first = await fetch(running.url + path);
      assert.equal(first.status, 200);
      assert.equal(first.headers.get('content-type'), type);
      assert.equal(first.headers.get('cache-control'), 'public, no-cache');
      assert.ok((await first.text()).length > 0);
      const etag = first.headers.get('etag') ?? '';
      const second = await fetch(running.url + path, { headers: { 'If-None-Match': etag } });
      assert.equal(second.status, 304);
      assert.equal(await second.text(), '');
    });
  }

  it('names the accounts and loads nothing but its own parts', async () => {
    const page = await (await fetch(`${running.url}/`)).text();
    assert.match(page, /data-accounts="account_a account_b"/);
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    assert.deepEqual(addresses, ['data:,', 'dashboard/page.css', 'dashboard/page.js']);
  });

  it('has a script that holds no schema', async () => {
    const script = await (await fetch(`${running.url}/dashboard/page.js`)).text();
    assert.doesNotMatch(script, /ZodError|\$ZodType/);
  });
});
