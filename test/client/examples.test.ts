import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FeedServer, startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { countersOutput, eventOutput, FRESH_AGES, postOutput } from '../support/outputs.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** The block that follows a heading in bold. */
function exampleAfter(heading: string): string {
  const [, code] = /```\w+\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(`**${heading}**`))) ?? [];
  assert.ok(code, `there is no example of ${heading}`);
  return code;
}

describe('the examples of the README', function () {
  this.timeout(30_000);
  let server: FeedServer;
  before(async () => {
    server = await startFeed();
    await server.turn(eventOutput({ eventId: 77 }), countersOutput({ eventId: 77, real: 133 }));
    await server.tick(FRESH_AGES);
  });
  after(() => server.stop());

  /** Runs an example against the server until it has printed what is expected. */
  async function run(
    code: string,
    isPrinted: (text: string) => boolean,
    act = async () => {},
  ): Promise<void> {
    const here = code
      .replace("'tallywire/client'", `'${new URL('../../src/client/node.js', import.meta.url)}'`)
      .replace('http://127.0.0.1:8080', server.url);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', here], { cwd: root });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        text += bytes;
      });
    }
    try {
      await eventually('it runs', () => text !== '', 15_000);
      await act();
      await eventually('it prints', () => isPrinted(text), 15_000).catch(() => assert.fail(text));
    } finally {
      child.kill();
    }
  }

  it('show a bot that prints the counters', () =>
    run(exampleAfter('A bot'), (text) => /^.+ 133 -?\d+$/m.test(text)));

  it('show a subscriber that prints posts and counts as they come', () =>
    run(
      exampleAfter('A subscriber'),
      (text) => text.includes('count 77 133') && /post \d+ \[ 'new_post' \] hello/.test(text),
      async () => {
        await eventually('it is there', () => server.feed.figures().sent >= 2);
        await server.turn(postOutput({ id: '9', account: 'a', text: 'hello' }));
      },
    ));
});
