import assert from 'node:assert/strict';
import { printBanner } from '../../src/cli/banner.ts';
import { parseConfig } from '../../src/config/config.ts';
import { memoryProcess } from './memory-process.ts';

const url = 'http://127.0.0.1:8080';
const banner = { world: 'embedded, seed 1', data: '.tallywire', accounts: ['one', 'two'], isDemo: true };
const config = parseConfig({ flags: {}, env: {} });

describe('printBanner', () => {
  it('shows people on a terminal where to look and what to type', () => {
    const proc = memoryProcess(true);
    printBanner({ url, banner }, config, proc);
    const { stdout } = proc.texts;
    assert.match(stdout, /tallywire is running at http:\/\/127\.0\.0\.1:8080\n/);
    assert.ok(stdout.includes(`dashboard ${url}/\n`) && stdout.includes(`API       ${url}/docs\n`));
    assert.equal(stdout.match(/^ {2}curl /gm)?.length, 3);
    assert.ok(
      stdout.includes("curl -H 'X-API-Key: demo_pro' 'http://127.0.0.1:8080/api/v1/meta/one/tweets?limit=5'"),
    );
    assert.ok(stdout.includes(`${url}/api/v1/meta/two\n`));
  });

  it('names no demo key where none works', () => {
    const proc = memoryProcess(true);
    printBanner({ url, banner: { ...banner, isDemo: false } }, config, proc);
    assert.doesNotMatch(proc.texts.stdout, /demo/);
  });

  it('is two plain lines elsewhere', () => {
    const proc = memoryProcess();
    printBanner({ url, banner }, config, proc);
    assert.equal(
      proc.texts.stdout,
      `tallywire is running at ${url}\nworld embedded, seed 1, data in .tallywire, accounts one, two\n`,
    );
  });

  it('is a JSON fact per line when asked, the first saying where it listens', () => {
    const proc = memoryProcess(true);
    printBanner({ url, banner }, { ...config, json: true }, proc);
    const [first, second] = proc.texts.stdout.split('\n');
    assert.equal(first, '{"type":"listening","url":"http://127.0.0.1:8080"}');
    assert.deepEqual(JSON.parse(second ?? ''), { type: 'running', ...banner });
  });
});
