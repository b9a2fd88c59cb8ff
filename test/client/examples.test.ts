import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FeedServer, startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { countersOutput, eventOutput, FRESH_AGES, postOutput } from '../support/outputs.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const CLIENT = new URL('../../src/client/node.js', import.meta.url);
const PATIENCE_MS = 60_000;

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

interface Example {
  readonly page: string;
  /** The heading above it. */
  readonly heading: string;
  /** Name of its file, without an ending. */
  readonly name: string;
  readonly code: string;
}

/** The examples of a page that use the client. */
function examplesIn(page: string): Example[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(?:js|ts)\n([\s\S]*?)^```$/gm)]
    .filter(([, code = '']) => code.includes("'tallywire/client'"))
    .map(({ 1: code = '', index }, place) => {
      const headings = [...text.slice(0, index).matchAll(/^#{2,6} (.+)$/gm)];
      const name = `${page.replace(/\W/g, '-')}-${place}`;
      return { page, heading: headings.at(-1)?.[1] ?? '', name, code };
    });
}

const examples = ['README.md', 'src/client/README.md'].flatMap(examplesIn);

function exampleUnder(page: string, heading: string): Example {
  const found = examples.find((each) => each.page === page && each.heading === heading);
  assert.ok(found, `${page} has no example under ${heading}`);
  return found;
}

describe('the examples of the client', function () {
  this.timeout(4 * PATIENCE_MS);
  let folder = '';
  let server: FeedServer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallywire-examples-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    server = await startFeed();
    await server.turn(eventOutput({ eventId: 77 }), countersOutput({ eventId: 77, real: 133 }));
    await server.tick(FRESH_AGES);
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('compile under strict rules', async () => {
    for (const { name, code } of examples) await writeFile(join(folder, `${name}.ts`), code);
    const types = fileURLToPath(CLIENT).replace(/\.js$/, '.d.ts');
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: 'es2023',
      module: 'nodenext',
      lib: ['es2023', 'dom'],
      types: ['node'],
      paths: { 'tallywire/client': [types] },
    };
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    await promisify(execFile)(compiler, ['-p', '.'], { cwd: folder }).catch((error: unknown) =>
      assert.fail(String(Reflect.get(Object(error), 'stdout'))),
    );
  });

  /** Runs an example that was compiled against the server, until it has printed what is expected. */
  async function run(
    { name }: Example,
    isPrinted: (text: string) => boolean | Promise<boolean>,
    act = async () => {},
  ): Promise<string> {
    const file = join(folder, `${name}.js`);
    const code = (await readFile(file, 'utf8'))
      .replace("'tallywire/client'", `'${CLIENT}'`)
      .replace('http://127.0.0.1:8080', server.url);
    await writeFile(file, code);
    const child = spawn(process.execPath, [file], { cwd: folder });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        text += bytes;
      });
    }
    try {
      await act();
      await eventually('it prints', () => isPrinted(text)).catch(() => assert.fail(text));
      return text;
    } finally {
      child.kill();
    }
  }

  const post = (id: string, text: string) => server.turn(postOutput({ id, account: 'a', text }));
  const isConnected = () => server.feed.figures().connections > 0;

  /** Publishes a post when the example is connected, and no sooner than its subscriptions are confirmed. */
  async function postOnceConnected(id: string, text: string): Promise<void> {
    const { sent } = server.feed.figures();
    await eventually('it is connected', isConnected);
    await eventually('it has its snapshots', () => server.feed.figures().sent >= sent + 2);
    await post(id, text);
  }

  const isIdle = () => eventually('nobody is connected', () => !isConnected());
  afterEach(isIdle);

  const page = 'src/client/README.md';

  it('show a bot that prints the counters', () =>
    run(exampleUnder('README.md', 'For a trading bot: REST'), (text) => /^.+ 133 -?\d+$/m.test(text)));

  it('show a subscriber that prints posts and counts as they come', () =>
    run(
      exampleUnder('README.md', 'For a subscriber: the feed'),
      (text) => text.includes('count 77 133') && /post \d+ \[ 'new_post' \] hello/.test(text),
      () => postOnceConnected('9', 'hello'),
    ));

  it('read counters and the quota over REST', () =>
    run(exampleUnder(page, 'REST'), (text) => /133 \[.*\]\nrequests left: /.test(text)));

  it('print the code of a refusal', () =>
    run(exampleUnder(page, 'Errors'), (text) => /^401 key_missing .+/m.test(text)));

  it('read the health with a timeout and retries', () =>
    run(exampleUnder(page, 'Timeouts and retries'), (text) => /^(ok|degraded|unavailable)$/m.test(text)));

  it('follow posts and records of the feed', () =>
    run(
      exampleUnder(page, 'Feed'),
      (text) => text.includes('counts [ 133 ]') && text.includes('post 10 good morning'),
      () => postOnceConnected('10', 'good morning'),
    ));

  it('resume from a stored cursor without losing a post', async () => {
    const example = exampleUnder(page, 'Resume after a restart of your program');
    const first = await run(
      example,
      (text) => text.includes('update') && text.includes('the first'),
      async () => {
        await eventually('the cursor is stored', () => existsSync(join(folder, 'tweets-cursor.json')));
        await post('11', 'the first');
      },
    );
    assert.match(first, /^snapshot \d+ /m);
    await isIdle();
    await post('12', 'the second');
    const again = await run(example, (text) => text.includes('the second'));
    assert.match(again, /^update \d+ the second$/m);
    assert.doesNotMatch(again, /snapshot/);
  });

  it('print the status and the heartbeats', () =>
    run(exampleUnder(page, 'Status: quiet or dead?'), async (text) => {
      if (isConnected()) await server.tick(FRESH_AGES);
      return text.includes('connecting') && /^heartbeat \d+ \{/m.test(text);
    }));

  it('are all run, except the one for browsers', () => {
    const ofPage = examples.filter((each) => each.page === page).map(({ heading }) => heading);
    assert.deepEqual(ofPage, [
      'REST',
      'Errors',
      'Timeouts and retries',
      'Feed',
      'Resume after a restart of your program',
      'Status: quiet or dead?',
      'Browsers',
    ]);
  });
});
