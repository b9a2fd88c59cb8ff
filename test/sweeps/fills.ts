import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { verify } from '../../src/research/verify.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createRng } from '../../src/world/rng.ts';
import { walletOf } from '../support/describe-waitlist.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';
import { type DiskKind, mountSmallDisk } from '../support/small-disk.ts';

export interface FillSweep {
  readonly kind: DiskKind;
  /** Every sixth is held over a stop and a start, every ninth over a kill and a start; ext4 is frozen before every fourth. */
  readonly fills: number;
  /** Decides when the disk is filled, how far and for how long. */
  readonly seed: number;
  readonly report: (line: string) => void;
}

const DISK_MB = 96;
const RESERVE_MB = 2;
const STOP_EVERY = 6;
const KILL_EVERY = 9;
const FREEZE_EVERY = 4;
const LONGEST_WAIT_MS = 400;
const LONGEST_FILL_MS = 1_200;
const FILLER = 'filler';
const CALLER = { 'X-API-Key': 'demo_internal' };
/** Few, as the folder is verified whole. */
const SIMULATIONS = 10;

/** What the service acknowledged, and how readers fared. */
interface Seen {
  /** When the history was read, UTC ms: a time that the log knows. */
  readonly readAt: number;
  readonly places: Map<number, number>;
  refused: number;
  answers: number;
  seq: number;
}

/**
 * Fills the disk of a running service from outside, again and again at random instants, to the last byte or nearly, and
 * frees it again. It must stay alive and answer readers throughout, take writes again by itself, and lose nothing that it
 * acknowledged; and no commit may ever meet the full disk. Returns what happened, or why no disk could be mounted.
 */
export async function sweepFills({ kind, fills, seed, report }: FillSweep): Promise<string | undefined> {
  const disk = mountSmallDisk(kind, DISK_MB);
  if (typeof disk === 'string') return undefined;
  const random = createRng(seed).next;
  const data = join(disk.folder, 'data');
  let service = start(data);
  try {
    let url = await service.url;
    await eventually('the history is read', async () => (await health(url)).status === 'ok');
    const seen: Seen = { readAt: Date.now(), places: new Map(), refused: 0, answers: 0, seq: 0 };
    for (let fill = 1; fill <= fills; fill++) {
      await delay(random() * LONGEST_WAIT_MS);
      if (kind === 'ext4' && fill % FREEZE_EVERY === 0) {
        disk.freeze();
        await whileFrozen(url, seen);
        disk.thaw();
        await untilWritten(url, seen);
      }
      if (random() < 0.7) disk.fill(FILLER);
      else disk.fill(FILLER, Math.floor(random() * disk.freeBytes()));
      await whileReading(url, seen, random() * LONGEST_FILL_MS);
      const isStopped = fill % STOP_EVERY === 0;
      if (isStopped || fill % KILL_EVERY === 0) {
        disk.fill(FILLER);
        assertAlive(service);
        await service.kill(isStopped ? 'SIGTERM' : 'SIGKILL');
        assertQuiet(await service.ended, isStopped ? 0 : null);
        service = start(data);
        url = await service.url;
        await whileReading(url, seen, random() * LONGEST_FILL_MS);
      }
      disk.free(FILLER);
      await untilWritten(url, seen);
      report(
        `fill ${fill} of ${fills}: ${seen.places.size} places told, ${seen.refused} refused, ` +
          `${seen.answers} answers to readers, seq ${seen.seq}, ${Math.round(disk.freeBytes() / 1_000_000)} MB free`,
      );
    }
    service.process.kill('SIGTERM');
    assertQuiet(await service.ended, 0);
    await check(data, seen);
    const { places, refused, answers, seq } = seen;
    return `${fills} fills of ${kind}: ${places.size} places and ${seq} observations kept, ${refused} places refused, ${answers} answers to readers`;
  } catch (error) {
    disk.thaw();
    await service.kill('SIGKILL');
    throw new Error(`the service said: ${(await service.ended).stderr}`, { cause: error });
  } finally {
    await service.kill('SIGKILL');
    disk.unmount();
  }
}

function start(data: string): Program {
  const flags = ['--port', '0', '--data', data, '--json', '--log-level', 'error', '--history-days', '3'];
  flags.push('--feed-connects-per-minute', '1000000');
  return runProgram([
    'start',
    ...flags,
    '--checkpoint-seconds',
    '1',
    '--disk-reserve-mb',
    String(RESERVE_MB),
  ]);
}

function assertAlive({ process: { exitCode, signalCode } }: Program): void {
  assert.deepEqual({ exitCode, signalCode }, { exitCode: null, signalCode: null });
}

/** LMDB says so on standard error when a write of its own failed. */
function assertQuiet({ code, stderr }: Awaited<Program['ended']>, expected: number | null): void {
  assert.ok(!stderr.includes('Write error'), stderr);
  assert.equal(code, expected, stderr);
}

const healthShape = z.object({ status: z.string(), writes_held_ms: z.int().optional() });

async function health(url: string): Promise<z.infer<typeof healthShape>> {
  return healthShape.parse(await (await fetch(`${url}/api/v1/health`, { headers: CALLER })).json());
}

/** Reads as REST and as feed, and claims places, for some time; every reader is answered. */
async function whileReading(url: string, seen: Seen, ms: number): Promise<void> {
  const until = performance.now() + ms;
  do {
    await readOnce(url, seen);
    await claim(url, seen);
  } while (performance.now() < until);
}

/** What is served from memory, what is read from the store (the past, the feed's frames), and the feed. */
async function readOnce(url: string, seen: Seen): Promise<void> {
  const past = `meta/account_a?as_of=${seen.readAt}`;
  const paths = ['meta/account_a', 'meta/account_b/tweets?limit=20', 'health', past];
  const responses = await Promise.all(
    paths.map((path) => fetch(`${url}/api/v1/${path}`, { headers: CALLER })),
  );
  for (const response of responses) {
    assert.equal(response.status, 200, response.url);
    await response.arrayBuffer();
    seen.answers += 1;
  }
  await readFeed(url, { channel: 'counters', account: 'account_a' }, 'snapshot');
  seen.answers += 1;
}

/** While no write to the disk ends, readers are answered, and the health tells for how long. */
async function whileFrozen(url: string, seen: Seen): Promise<void> {
  await eventually('the held writes are told', async () => {
    await readOnce(url, seen);
    const { status, writes_held_ms } = await health(url);
    return status === 'degraded' && writes_held_ms !== undefined;
  });
}

/** Connects to the feed, subscribes to one channel, and waits for the first message of a type. */
function readFeed(url: string, channel: object, type: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`, { headers: CALLER });
  return new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the feed closed without a ${type}`)));
    socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', channels: [channel] })));
    socket.on('message', (text) => {
      if (String(text).includes(`"type":"${type}"`)) resolve();
    });
  }).finally(() => socket.terminate());
}

const placeShape = z.object({ position: z.int() });

/** Claims a new place, or one that was told before, which must be the same. Whether it was told. */
async function claim(url: string, seen: Seen): Promise<boolean> {
  const n = seen.places.size + 1;
  const response = await fetch(`${url}/api/v1/waitlist`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...CALLER },
    body: JSON.stringify({ type: 'agent', case: 'trading', name: `agent ${n}`, wallet: walletOf(n) }),
  });
  if (response.status === 503) {
    seen.refused += 1;
    await response.arrayBuffer();
    return false;
  }
  assert.equal(response.status, 200);
  seen.places.set(n, placeShape.parse(await response.json()).position);
  return true;
}

const metaShape = z.object({ data: z.array(z.object({ as_of: z.object({ seq: z.int() }) })) });

async function seqOf(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/meta/account_a`, { headers: CALLER });
  return metaShape.parse(await response.json()).data[0]?.as_of.seq ?? 0;
}

/** Places are told again, and the log goes on: a heartbeat has gone through it. */
async function untilWritten(url: string, seen: Seen): Promise<void> {
  await eventually('a place is told again', () => claim(url, seen));
  await readFeed(url, { channel: 'heartbeat' }, 'heartbeat');
  seen.seq = Math.max(seen.seq, await seqOf(url));
}

/** The log has no gap, everything derived from it is as it would be derived again, and each place is whose it was. */
async function check(data: string, seen: Seen): Promise<void> {
  const store = await openStore(data, { readOnly: true });
  try {
    assert.ok(
      store.journal.head >= seen.seq,
      `seq ${seen.seq} was shown, the log ends at ${store.journal.head}`,
    );
    let next = store.journal.tail;
    for (const { seq } of store.journal.read(next)) assert.equal(seq, next++);
    const { difference } = await verify(store, { simulations: SIMULATIONS });
    assert.equal(difference, null);
    const owners = new Map(Array.from(store.waitlist.list(), ({ position, wallet }) => [wallet, position]));
    for (const [n, position] of seen.places) assert.equal(owners.get(walletOf(n)), position);
    assert.deepEqual(
      [...owners.values()],
      Array.from(owners, (_, index) => index + 1),
    );
  } finally {
    await store.close();
  }
}
