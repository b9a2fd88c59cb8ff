import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { contentOfEveryEndpoint } from '../server/content.ts';
import { start } from '../server/start.ts';
import { checkAnswer } from '../support/answer-check.ts';
import { type AnyRequest, anyRequest } from './any-request.ts';

interface RequestSweep {
  readonly requests: number;
  readonly seed: number;
  /** Whether a slow answer fails the sweep. It says nothing on a machine that others use at the same time. */
  readonly isTimed: boolean;
  readonly report: (line: string) => void;
}

/** No request may take more of the processor, whatever is in it. */
const SLOW_CPU_MS = 100;
/** Nor may one wait for anything. */
const SLOW_MS = 2_000;
/** Collecting garbage falls on any request now and then; what is slow by itself is slow each time. */
const TRIES = 3;
const REPORT_EVERY = 10_000;
const BATCH = 1_000;

interface Outcome {
  readonly status: number;
  readonly ms: number;
  /** Of the whole process, client and server, which do nothing else meanwhile. */
  readonly cpuMs: number;
}

/**
 * Sends generated requests to a server with something to serve. The OpenAPI document has to describe each
 * answer; none may be an internal error and, when timed, none may be slow.
 */
export async function sweepRequests({ requests, seed, isTimed, report }: RequestSweep): Promise<void> {
  const running = await start({ loaded: contentOfEveryEndpoint() });
  const bugs: unknown[] = [];
  running.app.on('error', (error: unknown) => bugs.push(error));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // The files of pages are not in the document.
  const paths = running.app.endpoints
    .map(({ path }) => path.replace('{event}', '1'))
    .filter((path) => !/^\/(docs|dashboard)\//.test(path));
  const statuses = new Map<number, number>();
  let slowestMs = 0;
  let slowestCpuMs = 0;
  let done = 0;

  try {
    for (const asked of generate([...paths, '/livez', '/readyz'], requests, seed)) {
      const { status, ms, cpuMs } = await sendUntilQuick(running.url, agent, asked);
      const which = `${JSON.stringify(asked)} of seed ${seed}`;
      assert.ok(status < 500, `${status} to ${which}: ${bugs[0]}`);
      const isSlow = cpuMs >= SLOW_CPU_MS || ms >= SLOW_MS;
      assert.ok(!isTimed || !isSlow, `${ms} ms, ${cpuMs} of the processor, for ${which}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      slowestMs = Math.max(slowestMs, ms);
      slowestCpuMs = Math.max(slowestCpuMs, cpuMs);
      done += 1;
      if (done % REPORT_EVERY === 0) report(`${done} of ${requests}: slowest ${slowestMs.toFixed(1)} ms`);
    }
    assert.deepEqual(bugs, []);
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
    report(`at most ${slowestCpuMs.toFixed(1)} ms of the processor; answers by status ${counts.join(', ')}`);
  } finally {
    agent.destroy();
    await running.stop();
  }
}

/** A batch at a time, so that a long sweep does not hold all of them. */
function* generate(paths: readonly string[], requests: number, seed: number): Generator<AnyRequest> {
  const arbitrary = anyRequest(paths);
  for (let made = 0; made < requests; made += BATCH) {
    yield* fc.sample(arbitrary, { numRuns: Math.min(BATCH, requests - made), seed: seed + made });
  }
}

async function sendUntilQuick(url: string, agent: Agent, asked: AnyRequest): Promise<Outcome> {
  let outcome = await send(url, agent, asked);
  for (let tries = 1; tries < TRIES && outcome.cpuMs >= SLOW_CPU_MS; tries++) {
    outcome = await send(url, agent, asked);
  }
  return outcome;
}

function send(url: string, agent: Agent, { method, path, headers, body }: AnyRequest): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const startedCpu = process.cpuUsage();
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const req = request(url, { agent, method, path, headers: { ...headers, ...length } }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const ms = performance.now() - startedMs;
        const { user, system } = process.cpuUsage(startedCpu);
        const { statusCode: status = 0 } = res;
        try {
          const received = new Headers();
          for (const [name, text] of Object.entries(res.headers)) received.set(name, String(text));
          // A fragment is for the client alone, and no part of what was asked for.
          const [asked = ''] = path.split('#');
          checkAnswer(
            { method, path: asked },
            { status, headers: received, body: textOf(Buffer.concat(chunks), received) },
          );
          resolve({ status, ms, cpuMs: (user + system) / 1_000 });
        } catch (error) {
          reject(error);
        }
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

/** What the bytes of a body say, however they are packed. */
function textOf(bytes: Buffer, headers: Headers): string {
  // A HEAD has the header without the bytes.
  if (bytes.length === 0) return '';
  switch (headers.get('content-encoding')) {
    case 'gzip':
      return gunzipSync(bytes).toString();
    case 'br':
      return brotliDecompressSync(bytes).toString();
    default:
      return bytes.toString();
  }
}
