import assert from 'node:assert/strict';
import { json, type Running, start } from '../start.ts';

describe('the documents', () => {
  let running: Running;
  before(async () => {
    running = await start();
  });
  after(() => running.stop());

  const fetched = (path: string, headers?: Record<string, string>) =>
    fetch(running.url + path, headers === undefined ? {} : { headers });

  it('serve the OpenAPI document to any page', async () => {
    const response = await running.get('/api/v1/openapi.json');
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.equal((await json(response)).openapi, '3.1.0');
  });

  const pages = [
    '/api/v1/openapi.json',
    '/api/v1/asyncapi.json',
    '/docs',
    '/docs/page.js',
    '/docs/renderer.js',
    '/docs/renderer.css',
    '/llms.txt',
  ];
  for (const path of pages) {
    it(`answer 304 to a caller that has ${path} already`, async () => {
      const first = await fetched(path);
      const etag = first.headers.get('etag') ?? '';
      assert.equal(first.status, 200);
      assert.equal((await first.text()).length > 0, true);
      const second = await fetched(path, { 'If-None-Match': etag });
      assert.equal(second.status, 304);
      assert.equal(second.headers.get('etag'), etag);
      assert.equal(await second.text(), '');
      assert.equal((await fetched(path, { 'If-None-Match': '"other"' })).status, 200);
    });
  }

  it('let the page use nothing but what comes from here', async () => {
    const response = await running.get('/docs');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    const page = await response.text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    assert.deepEqual(addresses, ['data:,', 'docs/renderer.css', 'docs/renderer.js', 'docs/page.js']);
    assert.doesNotMatch(page, /<script>|style=|onload=/);
    for (const address of addresses.slice(1)) {
      assert.equal((await fetched(new URL(address, 'http://here/docs').pathname)).status, 200);
    }
  });

  it('keep the strict policy everywhere else', async () => {
    for (const path of pages.filter((each) => each !== '/docs')) {
      const policy = (await fetched(path)).headers.get('content-security-policy');
      assert.equal(policy, "default-src 'none'; frame-ancestors 'none'", path);
    }
  });

  it('describe every endpoint for a language model, in a few lines', async () => {
    const text = await (await running.get('/llms.txt')).text();
    const endpoints = running.app.endpoints.filter(({ path }) => path.startsWith('/api/'));
    for (const { path, method } of endpoints) {
      const pattern = path.replace(/account_[ab]/, '{account}');
      assert.ok(text.includes(`\`${method} ${pattern}`), pattern);
    }
    for (const word of ['X-API-Key', 'If-None-Match', '/api/v1/openapi.json', 'account_a', '422', '429']) {
      assert.ok(text.includes(word), word);
    }
    assert.ok(text.length < 8_000);
  });
});
