import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runProgram } from '../../src/cli/program.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { memoryProcess } from '../cli/memory-process.ts';
import { eventually } from '../support/eventually.ts';
import {
  postOutput,
  predictedBucket,
  predictionOutput,
  scoreOutput,
  voidOutput,
} from '../support/outputs.ts';
import { openStage, type Stage } from '../support/service.ts';
import { MYPY, PYTHON, requirePackages } from '../support/system-packages.ts';
import { type CuttingProxy, openCuttingProxy } from '../sweeps/cutting-proxy.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const PACKAGE = join(root, 'src/client/python');
const TESTS = join(root, 'test/client/python');
const PAGE = 'src/client/python/README.md';
const PATIENCE_MS = 60_000;

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** Twenty events with two forecasts each, whose lower bucket, at 25 %, wins every fourth; one that is void; two posts. */
async function writeForecasts(data: string): Promise<void> {
  const outputs = Array.from({ length: 20 }, (_, index) => index + 1).flatMap((eventId) =>
    [24, 48].flatMap((horizonHours, place) => {
      const forecast = { forecastId: `${eventId}-${horizonHours}`, eventId, horizonHours };
      const buckets = [
        predictedBucket({ prob: 0.25, price: null, priceKind: null }),
        predictedBucket({ lo: 20, hi: null, prob: 0.75, paceProb: 0.8, price: 0.7 }),
      ];
      const seq = 4 * eventId + 2 * place;
      return [
        predictionOutput({ ...forecast, buckets }, { seq }),
        scoreOutput({ ...forecast, wonLo: eventId % 4 === 0 ? 0 : 20 }, { seq: seq + 1 }),
      ];
    }),
  );
  const others = [
    voidOutput({ forecastId: '99-24', eventId: 99 }, { seq: 100 }),
    postOutput({ id: '1048576000000000001', text: 'says "no", and\r\ngoes' }, { seq: 101 }),
    postOutput({ id: '2', text: '', isReply: null }, { seq: 102 }),
  ];
  const store = await openStore(data);
  await store.outputs.append([...outputs, ...others], 102);
  await store.close();
}

/** Does what a test in Python asks for over HTTP: that a post is made, or something to the proxy. */
async function openControl(acts: Readonly<Record<string, () => void>>): Promise<Server> {
  const server = createServer((request, response) => {
    const act = acts[request.url ?? ''];
    act?.();
    response.writeHead(act === undefined ? 404 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The examples of the page, by the heading above them. */
function examples(): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, PAGE), 'utf8');
  return new Map(
    [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(({ 1: code = '', index }) => {
      const headings = [...text.slice(0, index).matchAll(/^#{2,6} (.+)$/gm)];
      return [headings.at(-1)?.[1] ?? '', code] as const;
    }),
  );
}

describe('the client in Python', function () {
  this.timeout(8 * PATIENCE_MS);
  let folder = '';
  let stage: Stage;
  let proxy: CuttingProxy;
  let control: Server;
  let env: Readonly<Record<string, string>> = {};

  before(async function () {
    requirePackages(this, 'the client in Python');
    folder = await mkdtemp(join(tmpdir(), 'tallywire-python-'));
    const data = join(folder, 'data');
    await writeForecasts(data);
    for (const stream of ['predictions', 'scores', 'posts']) {
      for (const format of ['ndjson', 'csv', 'parquet']) {
        const args = ['--data', data, '--format', format, '-o', join(folder, `${stream}.${format}`)];
        const proc = memoryProcess();
        assert.equal(await runProgram(['export', stream, ...args], proc), 0, proc.texts.stderr);
      }
    }
    stage = await openStage({ startAt: Date.parse('2026-11-04T15:00:00Z'), historyDays: 3 });
    proxy = await openCuttingProxy();
    proxy.aim(stage.url());
    control = await openControl({
      '/post': () => stage.world.control.post({ account: 'a' }),
      '/cut': () => proxy.cutNow(),
      '/stall': () => proxy.stall(),
      '/resume': () => proxy.resume(),
      '/refuse': () => proxy.aim(undefined),
      '/accept': () => proxy.aim(stage.url()),
    });
    env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      PYTHONPATH: `${PACKAGE}:${TESTS}`,
      // Nothing is written into the folders of the sources.
      PYTHONDONTWRITEBYTECODE: '1',
      MPLCONFIGDIR: folder,
      TALLYWIRE_URL: stage.url(),
      TALLYWIRE_PROXY: proxy.url,
      TALLYWIRE_CONTROL: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
      TALLYWIRE_EXPORTS: folder,
    };
  });
  after(async () => {
    control?.close();
    await proxy?.close();
    await stage?.close();
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command to its end; what it printed. */
  async function run(command: string, ...args: readonly string[]): Promise<string> {
    const options = { cwd: folder, env, maxBuffer: 1e8 };
    return promisify(execFile)(command, [...args], options).then(
      ({ stdout }) => stdout,
      (error: unknown) => {
        const { stdout, stderr } = Object(error) as { readonly stdout: string; readonly stderr: string };
        return assert.fail(`${stdout}\n${stderr}`);
      },
    );
  }

  for (const name of ['test_rest', 'test_feed', 'test_export']) {
    it(`passes its own tests: ${name}`, () => run(PYTHON, '-m', 'unittest', '-v', name));
  }

  it('has the types of the interface as the service documents it', async () => {
    const made = await run(PYTHON, join(PACKAGE, 'make_records.py'), stage.url());
    const again = `python3 make_records.py URL > tallywire/records.py, in ${PACKAGE}`;
    assert.equal(
      await readFile(join(PACKAGE, 'tallywire/records.py'), 'utf8'),
      made,
      `the interface has changed: ${again}`,
    );
  });

  it('passes a strict check of types, with its tests and the examples of its page', async () => {
    const pages = [...examples().values()].map((code, place) => ({
      code,
      file: join(folder, `page_${place}.py`),
    }));
    for (const { code, file } of pages) await writeFile(file, code);
    const config = ['--config-file', join(PACKAGE, 'pyproject.toml'), '--cache-dir', join(folder, 'mypy')];
    const tests = ['stage', 'test_rest', 'test_feed', 'test_export'].map((name) => join(TESTS, `${name}.py`));
    const sources = ['make_records.py', 'examples/calibration.py', 'tallywire'].map((name) =>
      join(PACKAGE, name),
    );
    await run(MYPY, ...config, ...tests, ...sources, ...pages.map(({ file }) => file));
  });

  it('draws a calibration plot from two exports', async () => {
    const example = join(PACKAGE, 'examples/calibration.py');
    for (const [format, picture, start] of [
      ['ndjson', 'calibration.svg', '<?xml'],
      ['csv', 'calibration.png', '\x89PNG'],
    ] as const) {
      const printed = await run(PYTHON, example, `predictions.${format}`, `scores.${format}`, '-o', picture);
      assert.match(printed, /^model\n.*won_share.*\n *40 +20 +0\.25 +0\.25 .*\n *40 +20 +0\.75 +0\.75 /m);
      assert.match(printed, /^pace\n.*\n *40 +20 +0\.2 +0\.25 .*\n *40 +20 +0\.8 +0\.75 /m);
      assert.match(printed, /^market\n.*\n *40 +20 +0\.7 +0\.75 /m);
      assert.ok((await readFile(join(folder, picture), 'latin1')).startsWith(start));
    }
  });

  /** Runs an example of the page until it has printed what is expected, and ends it. */
  async function runExample(heading: string, isPrinted: (text: string) => boolean): Promise<string> {
    const code = examples().get(heading)?.replaceAll('http://127.0.0.1:8080', stage.url());
    assert.ok(code !== undefined, `${PAGE} has no example under ${heading}`);
    const child = spawn(PYTHON, ['-u', '-c', code], { cwd: folder, env });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        text += bytes;
      });
    }
    try {
      await eventually('it prints', () => isPrinted(text)).catch(() => assert.fail(text));
      return text;
    } finally {
      child.kill('SIGKILL');
    }
  }

  it('has a page whose examples do what they say', async () => {
    await runExample('REST', (text) => /\[.*\]\nrequests left: \d+/.test(text));
    await runExample('Errors', (text) => /^401 key_missing .+/m.test(text));
    let isPosted = false;
    await runExample('Feed', (text) => {
      if (!isPosted && text.includes('live')) {
        isPosted = true;
        stage.world.control.post({ account: 'a' });
      }
      return /^counts \[/m.test(text) && /^post \d+ /m.test(text);
    });
    const heading = 'Resume after a restart of your program';
    const first = await runExample(heading, (text) => /^snapshot \d+$/m.test(text));
    await eventually('the cursor is stored', () => existsSync(join(folder, 'tweets-cursor.json')));
    stage.world.control.post({ account: 'a' });
    const again = await runExample(heading, (text) => /^update \d+$/m.test(text));
    const seqOf = (text: string) => Number(/\d+/.exec(text)?.[0]);
    assert.doesNotMatch(again, /snapshot/);
    assert.ok(seqOf(again) > seqOf(first));
    await runExample('Files of `tallywire export`', (text) => /^40 /.test(text) && /\[80 rows/.test(text));
    assert.equal(examples().size, 5);
  });

  it('has the version of the package that it belongs to, and stays out of it', () => {
    const { version, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(
      /^version = "(.+)"$/m.exec(readFileSync(join(PACKAGE, 'pyproject.toml'), 'utf8'))?.[1],
      version,
    );
    assert.ok(files.every((path: string) => !path.startsWith('src')));
  });
});
