import assert from 'node:assert/strict';
import * as z from 'zod';
import { json, type Running, start } from '../start.ts';

/** What the pages are made of. */
const DOCUMENT = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))).default({}),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    messages: z.record(z.string(), z.unknown()).default({}),
  }),
});

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
    '/docs/feed',
    '/docs/page.js',
    '/docs/page.css',
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

  for (const path of ['/api/v1/openapi.json', '/api/v1/asyncapi.json', '/docs', '/docs/feed']) {
    it(`are sent compressed to whoever accepts that: ${path}`, async () => {
      const plain = await fetched(path, { 'Accept-Encoding': 'identity' });
      assert.equal(plain.headers.get('content-encoding'), null);
      const text = await plain.text();
      const etags = new Set([plain.headers.get('etag')]);
      for (const encoding of ['br', 'gzip']) {
        const response = await fetched(path, { 'Accept-Encoding': encoding });
        const { headers } = response;
        assert.equal(headers.get('content-encoding'), encoding);
        assert.match(headers.get('vary') ?? '', /Accept-Encoding/);
        assert.ok(
          Number(headers.get('content-length')) < text.length / 4,
          headers.get('content-length') ?? '',
        );
        assert.equal(await response.text(), text);
        etags.add(headers.get('etag'));
      }
      // Bytes that differ have marks that differ.
      assert.equal(etags.size, 3);
    });
  }

  for (const path of ['/docs', '/docs/feed']) {
    it(`let ${path} use nothing but what comes from here`, async () => {
      const response = await fetched(path);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
      assert.doesNotMatch(policy, /unsafe|http|\*/);
      const page = await response.text();
      const addresses = [...page.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, address = '']) => address);
      assert.ok(addresses.length > 5);
      assert.doesNotMatch(page, /<script>|style=|onload=/);
      for (const address of addresses.filter((each) => each !== 'data:,')) {
        const { origin, pathname } = new URL(address, `http://here${path}`);
        assert.equal(origin, 'http://here');
        assert.equal((await fetched(pathname)).status, 200, address);
      }
    });
  }

  it('keep the strict policy everywhere else', async () => {
    for (const path of pages.filter((each) => !['/docs', '/docs/feed'].includes(each))) {
      const policy = (await fetched(path)).headers.get('content-security-policy');
      assert.equal(policy, "default-src 'none'; frame-ancestors 'none'", path);
    }
  });

  it('have no page of the feed where there is no feed', async () => {
    const without = await start({ deps: { hasFeed: false } });
    try {
      assert.equal((await without.get('/docs/feed')).status, 404);
      assert.doesNotMatch(await (await without.get('/docs')).text(), /docs\/feed[#"]/);
    } finally {
      await without.stop();
    }
  });

  it('show every operation, schema and message of the documents on their pages', async () => {
    const openApi = DOCUMENT.parse(await json(await running.get('/api/v1/openapi.json')));
    const rest = await (await running.get('/docs')).text();
    const feed = await (await fetched('/docs/feed')).text();
    for (const item of Object.values(openApi.paths)) {
      for (const { operationId } of Object.values(item))
        assert.ok(rest.includes(`id="${operationId}"`), operationId);
    }
    const asyncApi = DOCUMENT.parse(await json(await running.get('/api/v1/asyncapi.json')));
    for (const [page, { components }] of [
      [rest, openApi],
      [feed, asyncApi],
    ] as const) {
      for (const name of Object.keys(components.schemas))
        assert.ok(page.includes(`id="schema-${name}"`), name);
      const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
      for (const id of links) assert.ok(page.includes(`id="${id}"`), `#${id} leads nowhere`);
    }
    for (const name of Object.keys(asyncApi.components.messages))
      assert.ok(feed.includes(`>${name}</code>`), name);
  });

  it('offer keys and a wallet in the demo alone', async () => {
    const page = async (deps: Record<string, unknown>) => {
      const other = await start({ deps });
      try {
        return await (await other.get('/docs')).text();
      } finally {
        await other.stop();
      }
    };
    const demoWallet = `0x${'a1'.repeat(20)}`;
    const demo = await page({ isDemo: true, demoWallet });
    assert.match(demo, /data-use-key="demo_pro"/);
    assert.match(demo, new RegExp(`value="${demoWallet}"`));
    const live = await page({ isDemo: false, demoWallet });
    assert.doesNotMatch(live, /data-use-key|value="0x/);
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
