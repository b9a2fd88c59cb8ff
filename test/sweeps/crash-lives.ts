import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { readMeta, readTweets, steer } from '../support/api.ts';
import { type Program, runProgram } from '../support/program.ts';
import { parseRecording, type Recording } from './call-recording.ts';
import { type Acknowledged, acknowledgedIn } from './crash-acknowledged.ts';
import { type Image, imageAfter } from './crash-disk.ts';
import { differenceIn, fillVault, type Vault, vaultOf } from './crash-folder.ts';
import { emailAt } from './crash-rows.ts';
import { emptyReading, readPlainly } from './plain-reader.ts';
import { buildRecordingCalls } from './recording-calls.ts';

const ROWS_CHILD = fileURLToPath(new URL(`./crash-rows-child${extname(import.meta.url)}`, import.meta.url));
const ROWS = 12;
const POST_EVERY_MS = 60;
const JOIN_EVERY_MS = 200;
const READ_EVERY_MS = 20;
const LOOK_EVERY_MS = 50;
const MOST_STARTS = 5;

export interface RecordedLives {
  readonly recording: Recording;
  readonly acknowledged: readonly Acknowledged[];
  /** What is on disk at the end. */
  readonly last: Image;
  readonly vault: Vault;
}

interface LivesOptions {
  /** An empty folder. */
  readonly base: string;
  readonly lives: number;
  /** Each goes on until its reader has had so many frames of the feed. */
  readonly frames: number;
  readonly report: (line: string) => void;
}

const run = promisify(execFile);

/**
 * Begins a store, and lets the program live on it several times, while its world is posting, readers read and people
 * join the waitlist. All that it writes and sends is recorded.
 */
export async function recordLives(options: LivesOptions): Promise<void> {
  const world = runProgram(['world', '--port', '0', '--seed', '5', '--json']);
  try {
    await recordOn(await world.url, options);
  } finally {
    await world.kill('SIGTERM');
  }
}

async function recordOn(worldUrl: string, { base, lives, frames, report }: LivesOptions): Promise<void> {
  const { root, record, notes, vault } = placesIn(base);
  mkdirSync(root);
  writeFileSync(record, '');
  const env = {
    LD_PRELOAD: buildRecordingCalls(base),
    RECORD_UNDER: root,
    RECORD_TO: record,
    // What is written that way passes the C library by.
    UV_USE_IO_URING: '0',
  };
  const [data, told] = [join(root, 'data'), join(root, 'told')];
  await run(process.execPath, [ROWS_CHILD, data, told, String(ROWS)], { env: { ...process.env, ...env } });
  const ports = new Set<number>();
  const places = { taken: ROWS };
  for (let life = 1; life <= lives; life++) {
    const flags = ['--port', '0', '--data', data, '--world', worldUrl, '--checkpoint-seconds', '1'];
    const quiet = ['--json', '--log-level', 'error', '--history-days', '3'];
    const program = await start(['start', ...quiet, ...flags], env);
    try {
      ports.add(Number(new URL(await program.url).port));
      await live(program, worldUrl, places, frames);
    } finally {
      await program.kill('SIGKILL');
    }
    report(`recorded life ${life} of ${lives}`);
  }
  const made: Notes = { root, inode: statSync(root).ino, ports: [...ports] };
  writeFileSync(notes, JSON.stringify(made));
  const { recording, acknowledged, last } = readLives(base);
  const difference = differenceIn(last, root);
  assert.equal(difference, undefined, `not all that was written is recorded: ${difference}`);
  fillVault(root, last, vault);
  rmSync(root, { recursive: true });
  const megabytes = (statSync(record).size / 1e6).toFixed(1);
  report(
    `recorded ${recording.calls.length} calls, ${megabytes} MB, ${acknowledged.length} acknowledgements`,
  );
}

/** On a very busy machine the world may not answer within the time that a start waits. */
async function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Program> {
  for (let attempt = 1; ; attempt++) {
    const program = runProgram(args, env);
    try {
      await program.url;
      return program;
    } catch (error) {
      if (attempt === MOST_STARTS || !/no world answers/.test(String(error))) throw error;
    }
  }
}

const placesIn = (base: string) => ({
  root: join(base, 'recorded'),
  record: join(base, 'record'),
  notes: join(base, 'notes.json'),
  vault: join(base, 'vault'),
});

const recordedNotes = z.object({ root: z.string(), inode: z.int(), ports: z.array(z.int()) });
type Notes = z.infer<typeof recordedNotes>;

/** What `recordLives` left in a folder. */
export function readLives(base: string): RecordedLives {
  const { record, notes, vault } = placesIn(base);
  const { root, inode, ports } = recordedNotes.parse(JSON.parse(readFileSync(notes, 'utf8')));
  const recording = parseRecording(readFileSync(record), root, inode);
  const last = imageAfter(recording, {
    at: recording.times.length,
    mood: 'everything',
    random: () => 0,
    liesFor: 0,
  });
  const told = last.entries.get('told');
  assert.ok(told?.is === 'file', 'nothing was told');
  const acknowledged = acknowledgedIn(recording, new Set(ports), told.file);
  return { recording, acknowledged, last, vault: vaultOf(last, vault) };
}

async function live(
  program: Program,
  worldUrl: string,
  places: { taken: number },
  frames: number,
): Promise<void> {
  const url = await program.url;
  const ending = new AbortController();
  const { signal } = ending;
  const reading = emptyReading();
  const busy = Promise.all([
    keepPosting(worldUrl, signal),
    keepReading(url, signal),
    keepJoining(url, places, signal),
    readPlainly(url, reading, signal),
  ]);
  const enough = async () => {
    while (reading.frames < frames && !signal.aborted) await delay(LOOK_EVERY_MS);
  };
  try {
    await Promise.race([enough(), busy, endedEarly(program)]);
  } finally {
    ending.abort();
  }
  await busy;
  await program.kill('SIGTERM');
  const { code, stderr } = await program.ended;
  assert.equal(code, 0, stderr);
}

async function endedEarly({ ended }: Program): Promise<never> {
  const { code, stderr } = await ended;
  throw new Error(`the program ended with ${code}: ${stderr}`);
}

/** A server closes a connection that was quiet for seconds, also when a busy machine is just about to use it. */
async function unlessClosed(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

async function keepPosting(worldUrl: string, signal: AbortSignal): Promise<void> {
  const kinds = ['original', 'quote', 'repost', 'selfReply', 'reply'];
  for (let posted = 0; !signal.aborted; posted++) {
    const account = posted % 3 === 0 ? 'b' : 'a';
    await unlessClosed(async () => {
      await steer(worldUrl, 'post', { account, kind: kinds[posted % kinds.length] });
    });
    await delay(POST_EVERY_MS);
  }
}

async function keepReading(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await unlessClosed(async () => {
      for (const account of ['account_a', 'account_b']) {
        await readTweets(url, account, 100);
        await readMeta(url, account);
      }
    });
    await delay(READ_EVERY_MS);
  }
}

/** One at a time, so that everyone's place follows from their email. */
async function keepJoining(url: string, places: { taken: number }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const email = emailAt(places.taken + 1);
    await unlessClosed(async () => {
      const response = await fetch(`${url}/api/v1/waitlist`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'human', case: 'watch', email }),
      });
      assert.equal(response.status, 200, await response.text());
      places.taken += 1;
    });
    await delay(JOIN_EVERY_MS);
  }
}
