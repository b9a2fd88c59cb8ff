import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SnapshotJob } from './snapshot-job.ts';

/** The process reads a store and waits for nothing else. */
const TIMEOUT_MS = 120_000;
/** Of what it says before it fails, for the log. */
const MOST_SAID = 2_000;

/** The bytes of a snapshot, made in another process. Throws if that fails or is aborted, at the end at the latest. */
export async function* takeSnapshot(job: SnapshotJob, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const program = new URL(`./snapshot-process${extname(import.meta.url)}`, import.meta.url);
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(program)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-MOST_SAID);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code === 0 ? '' : `${code ?? signal}: ${said}`));
  });
  // Told below, after what it wrote was read.
  ended.catch(() => undefined);
  // It may end before it has read all of it, which is told then too.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(job));
  try {
    for await (const chunk of child.stdout) if (chunk instanceof Uint8Array) yield chunk;
    const failure = await ended;
    if (failure !== '') throw new Error(`a snapshot could not be made: it ended with ${failure}`);
  } finally {
    child.kill('SIGKILL');
  }
}
