import assert from 'node:assert/strict';
import type { AppDeps } from '../../../src/server/app.ts';
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
    it(`answers ${path}, and 304 to a caller that has it already`, async () => {
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
    const [, attribute = ''] = /data-accounts="([^"]+)"/.exec(page) ?? [];
    assert.deepEqual(JSON.parse(attribute.replaceAll('&quot;', '"')), [
      { account: 'account_a', name: 'Account A', sizing: true },
      { account: 'account_b', name: 'Account B', sizing: false },
    ]);
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    assert.deepEqual(addresses, ['data:,', 'dashboard/page.css', 'dashboard/page.js']);
  });

  const parts = [
    '/dashboard/page.js',
    '/dashboard/page.css',
    '/docs',
    '/docs/feed',
    '/docs/page.js',
    '/docs/page.css',
  ];
  for (const path of parts) {
    it(`sends ${path} as small as the caller can read it, under a tag of its own`, async () => {
      const ask = (accepted: string) =>
        fetch(running.url + path, { headers: { 'Accept-Encoding': accepted } });
      const plain = await ask('identity');
      const text = await plain.text();
      const lengths = [Number(plain.headers.get('content-length'))];
      const tags = new Set([plain.headers.get('etag')]);
      assert.equal(plain.headers.get('content-encoding'), null);
      for (const encoding of ['gzip', 'br']) {
        const answer = await ask(`${encoding}, identity;q=0.1`);
        assert.equal(answer.headers.get('content-encoding'), encoding);
        assert.equal(answer.headers.get('vary'), 'Accept-Encoding');
        assert.equal(await answer.text(), text);
        lengths.push(Number(answer.headers.get('content-length')));
        tags.add(answer.headers.get('etag'));
      }
      assert.deepEqual(
        lengths,
        lengths.toSorted((a, b) => b - a),
      );
      assert.equal(tags.size, 3);
      assert.ok(Math.min(...lengths) < text.length / 2);
      const both = await ask('gzip, deflate, br, zstd');
      assert.equal(both.headers.get('content-encoding'), 'br');
      assert.equal((await ask('br;q=0, gzip;q=0.5')).headers.get('content-encoding'), 'gzip');
    });
  }

  it('names the published key in the demo only, and says when there is no feed', async () => {
    const pageOf = async (deps: Partial<AppDeps>) => {
      const other = await start({ deps });
      try {
        return await (await fetch(`${other.url}/`)).text();
      } finally {
        await other.stop();
      }
    };
    assert.match(await pageOf({ isDemo: true }), /data-demo-key="demo_pro"/);
    const demo = await pageOf({ isDemo: true, demoWallet: '0xa2' });
    assert.match(demo, /data-demo-wallet="0xa2"/);
    assert.match(await pageOf({ hasFeed: false }), /data-feed="off"/);
    assert.doesNotMatch(await pageOf({ demoWallet: '0xa2' }), /demo|data-feed/);
    const linked = await pageOf({ marketPages: 'https://market.invalid/event' });
    assert.match(linked, /data-market-pages="https%3A%2F%2Fmarket.invalid%2Fevent"/);
  });

  it('has a script that holds no schema', async () => {
    const script = await (await fetch(`${running.url}/dashboard/page.js`)).text();
    assert.doesNotMatch(script, /ZodError|\$ZodType/);
  });
});
