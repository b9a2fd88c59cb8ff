import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { merge } from 'rxjs';
import * as z from 'zod';
import { createClient, type Feed, type FeedEvent, type FeedStatus } from '../../src/client/node.ts';
import { createRng } from '../../src/world/rng.ts';
import { readMeta, steer } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';
import { type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts';
import { emptyReading, type Reading, readPlainly, takeIn } from './plain-reader.ts';
import { differences, frameDifferences, placeOf } from './reading-differences.ts';

/** A place that bytes do not reach soon is cut at once. */
const LONGEST_WAIT_MS = 300;

export interface CutSweep {
  /** Disturbances: most of them cuts, every tenth a kill -9, every fifteenth an orderly restart. */
  readonly disturbances: number;
  /** Decides what happens, when and where; the same seed repeats the same disturbances. */
  readonly seed: number;
  readonly report: (line: string) => void;
}

/**
 * Reads the whole feed of an engine through a client whose connection is cut at random bytes, held up, and whose
 * server is killed and restarted; and beside it, plainly, straight at the engine. Both must have the same bytes on
 * every channel, but for what a reader that was held up was not sent of those without posts, and end with the same
 * records.
 */
export async function sweepCuts({ disturbances, seed, report }: CutSweep): Promise<string> {
  const random = createRng(seed).next;
  report(`seed ${seed}`);
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-cuts-'));
  const world = runProgram(['world', '--port', '0', '--seed', '5', '--json']);
  const proxy = await openCuttingProxy();
  const ending = new AbortController();
  const plain = emptyReading();
  const cut = emptyReading();
  const feed = createClient({ url: proxy.url, key: 'demo_internal' }).feed({
    reconnect: { minMs: 5, maxMs: 60 },
  });
  const events: FeedEvent[] = [];
  let status: FeedStatus | undefined;
  let engine: Program | undefined;
  try {
    const worldUrl = await world.url;
    const startEngine = async () => {
      engine = runEngine(join(folder, 'data'), worldUrl);
      const url = await engine.url;
      proxy.aim(url);
      return { program: engine, url, reading: readPlainly(url, plain, ending.signal) };
    };
    let life = await startEngine();
    await eventually('something is counted', () => isCounted(life.url));
    const posting = keepPosting(worldUrl, ending.signal);
    feed.event$.subscribe((event) => events.push(event));
    feed.status$.subscribe((each) => {
      status = each;
    });
    const following = followAll(feed).subscribe((frame) => takeIn(cut, JSON.stringify(frame)));
    await eventually('the reader is there', () => status?.state === 'live');

    for (let number = 1; number <= disturbances; number++) {
      await delay(random() * 500);
      if (number % 10 === 5 || number % 15 === 12) {
        proxy.aim(undefined);
        await life.program.kill(number % 10 === 5 ? 'SIGKILL' : 'SIGTERM');
        await life.reading;
        life = await startEngine();
      } else await disturb(proxy, random);
      report(`${number} of ${disturbances}: ${postsOf(cut)} posts, ${cut.frames} frames, ${proxy.cuts} cuts`);
    }

    ending.abort();
    await posting;
    const again = new AbortController();
    const rest = readPlainly(life.url, plain, again.signal);
    await eventually('both have the same', () => status?.state === 'live' && isSame(cut, plain)).catch(() =>
      assert.fail(`in the end: ${JSON.stringify(status)} ${differences(cut, plain).join('; ')}`),
    );
    again.abort();
    await rest;
    // Frames that came during the replay would reach its reader live, and merged if the machine is busy.
    following.unsubscribe();
    const replay = await replayed(life.url, cut);
    for (const [name, texts] of cut.texts) {
      assert.deepEqual(frameDifferences(name, texts, replay.get(name) ?? [], 'as many'), []);
    }
    const gaps = events.filter(({ type }) => type === 'gap' || type === 'cursor_too_old' || type === 'epoch');
    const merged = [...cut.texts.values()].flat().reduce((sum, text) => sum + placeOf(text).merged, 0);
    return `${postsOf(cut)} posts and ${cut.frames} frames, ${merged} merged, over ${proxy.cuts} cuts, ${gaps.length} gaps`;
  } finally {
    ending.abort();
    feed.close();
    await engine?.kill('SIGKILL');
    await world.kill('SIGTERM');
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function postsOf({ texts }: Reading): number {
  const ofPosts = [...texts].filter(([name]) => name.startsWith('tweets/'));
  return ofPosts.reduce((sum, [, { length }]) => sum + length, 0);
}

function runEngine(data: string, worldUrl: string): Program {
  const limits = ['--feed-connects-per-minute', '1000000', '--feed-connections-per-key', '1000'];
  const flags = ['--port', '0', '--data', data, '--world', worldUrl, '--history-days', '3', ...limits];
  return runProgram(['start', '--json', '--log-level', 'error', '--drain-seconds', '0', ...flags]);
}

async function isCounted(url: string): Promise<boolean> {
  const { data } = await readMeta(url, 'account_a');
  return data.some((event) => event.real_counter !== null);
}

async function keepPosting(worldUrl: string, signal: AbortSignal): Promise<void> {
  const kinds = ['original', 'quote', 'repost', 'selfReply', 'reply'];
  for (let posted = 0; !signal.aborted; posted++) {
    const post = { account: posted % 3 === 0 ? 'b' : 'a', kind: kinds[posted % kinds.length] };
    // The world may let go of a kept connection just as it is used again.
    await steer(worldUrl, 'post', post).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
    });
    await delay(20);
  }
}

function followAll(feed: Feed) {
  return merge(
    feed.counters(),
    feed.tweets(),
    feed.velocity(),
    feed.prediction(),
    feed.signals(),
    feed.lag(),
    feed.crypto(),
    feed.test(),
  );
}

async function disturb(proxy: CuttingProxy, random: () => number): Promise<void> {
  if (random() < 0.2) {
    proxy.stall();
    await delay(random() * 800);
    if (random() < 0.5) proxy.cutNow();
    proxy.resume();
    return;
  }
  // As often within the handshake and the first bytes as within megabytes.
  const { cuts } = proxy;
  proxy.cutAfter(Math.floor(10 ** (random() * 6)));
  const untilMs = performance.now() + LONGEST_WAIT_MS;
  await eventually('it is cut, or waited for', () => proxy.cuts > cuts || performance.now() > untilMs);
  if (proxy.cuts === cuts) proxy.cutNow();
}

function isSame(cut: Reading, plain: Reading): boolean {
  return cut.frames > 0 && differences(cut, plain).length === 0;
}

/** The frames of a reader once more, read in one go from where it began. */
async function replayed(url: string, { texts, topics }: Reading): Promise<Reading['texts']> {
  const again = emptyReading();
  for (const [name, [first = '{}']] of texts) {
    const { seq } = z.object({ seq: z.int() }).parse(JSON.parse(first));
    again.topics.set(name, { epoch: topics.get(name)?.epoch ?? '', seq: seq - 1, records: new Map() });
  }
  const ending = new AbortController();
  const reading = readPlainly(url, again, ending.signal);
  const lastOf = (own: readonly string[] | undefined) => placeOf(own?.at(-1) ?? '{"seq":0,"prev_seq":0}').seq;
  const isWhole = () => [...texts].every(([name, own]) => lastOf(again.texts.get(name)) >= lastOf(own));
  await eventually('everything is sent again', isWhole);
  ending.abort();
  await reading;
  return again.texts;
}
