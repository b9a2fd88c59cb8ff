import assert from 'node:assert/strict';
import { announce } from '../../src/cli/banner.ts';
import { parseConfig } from '../../src/config/config.ts';
import { memoryShell } from './memory-shell.ts';

const url = 'http://127.0.0.1:8080';
const banner = { world: 'embedded, seed 1', data: '.tallywire', accounts: ['one', 'two'], isDemo: true };
const config = parseConfig({ flags: {}, env: {} });

describe('announce', () => {
  it('shows people on a terminal where to look and what to type', () => {
    const shell = memoryShell(true);
    announce({ url, banner }, config, shell);
    const { stdout } = shell.texts;
    assert.match(stdout, /tallywire is running at http:\/\/127\.0\.0\.1:8080\n/);
    assert.equal(stdout.match(/^ {2}curl /gm)?.length, 3);
    assert.ok(
      stdout.includes("curl -H 'X-API-Key: demo_pro' 'http://127.0.0.1:8080/api/v1/meta/one/tweets?limit=5'"),
    );
    assert.ok(stdout.includes(`${url}/api/v1/meta/two\n`));
  });

  it('names no demo key where none works', () => {
    const shell = memoryShell(true);
    announce({ url, banner: { ...banner, isDemo: false } }, config, shell);
    assert.doesNotMatch(shell.texts.stdout, /demo/);
  });

  it('is two plain lines elsewhere', () => {
    const shell = memoryShell();
    announce({ url, banner }, config, shell);
    assert.equal(
      shell.texts.stdout,
      `tallywire is running at ${url}\nworld embedded, seed 1, data in .tallywire, accounts one, two\n`,
    );
  });

  it('is a JSON fact per line when asked, the first saying where it listens', () => {
    const shell = memoryShell(true);
    announce({ url, banner }, { ...config, json: true }, shell);
    const [first, second] = shell.texts.stdout.split('\n');
    assert.equal(first, '{"type":"listening","url":"http://127.0.0.1:8080"}');
    assert.deepEqual(JSON.parse(second ?? ''), { type: 'running', ...banner });
  });
});
