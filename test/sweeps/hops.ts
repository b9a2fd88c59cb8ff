import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { openNatsBus } from '../../src/bus/nats/open-nats-bus.ts';
import type { Output } from '../../streams/internal.ts';
import { createNatsServer } from '../support/bus/nats-server.ts';
import { openLateProxy } from '../support/cluster/late-proxy.ts';
import { startTestLeader } from '../support/cluster/test-leader.ts';
import { eventually } from '../support/eventually.ts';
import { countersOutput, eventOutput, FRESH_AGES, freshnessOutput, postOutput } from '../support/outputs.ts';
import { type Program, runProgram } from '../support/program.ts';

const LATE_MS = 800;
const TURN_MS = 100;
const CHANNELS = ['counters', 'tweets', 'prediction', 'lag'] as const;

const Frame = z.looseObject({
  type: z.string(),
  channel: z.string().optional(),
  account: z.string().nullish(),
  epoch: z.string().optional(),
  seq: z.int().nullish(),
});

interface HopsOptions {
  readonly hops: number;
  readonly seed: number;
  readonly report: (line: string) => void;
}

interface HopsResult {
  readonly frames: number;
  readonly kills: number;
}

/** Numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** An edge as a process of its own, which can be killed and started again on the same folder. */
async function createEdge(bus: string) {
  const data = await mkdtemp(join(tmpdir(), 'tallywire-edge-'));
  let program: Program | undefined;
  let url = '';
  // No reader is sent to an edge that is not.
  const isReady = () => eventually('the edge is ready', async () => (await fetch(`${url}/readyz`)).ok);
  const start = async () => {
    program = runProgram([
      'start',
      ...['--role', 'edge', '--bus', bus, '--data', data, '--port', '0', '--json', '--log-level', 'error'],
      ...['--feed-connects-per-minute', '10000', '--drain-seconds', '0'],
    ]);
    url = await program.url;
    await isReady();
  };
  return {
    url: () => url,
    start,
    isReady,
    kill: async () => program?.kill('SIGKILL'),
    async remove() {
      await program?.kill('SIGKILL');
      await rm(data, { recursive: true, force: true });
    },
  };
}

/**
 * A reader goes back and forth between two edges, of which one is always late and the other is killed now and then, and
 * resumes each time where it was. Rejects at the first frame that is missing, doubled or not as the engine made it.
 */
export async function sweepHops({ hops, seed, report }: HopsOptions): Promise<HopsResult> {
  const random = randomOf(seed);
  const server = await createNatsServer();
  await server.start();
  const close: (() => Promise<unknown>)[] = [() => server.remove()];
  try {
    const bus = await openNatsBus({
      servers: server.url,
      env: {},
      name: 'leader',
      role: { type: 'engine', replicas: 1 },
      report: () => undefined,
    });
    close.unshift(() => bus.close());
    const leader = await startTestLeader({ bus });
    close.unshift(() => leader.stop());
    await leader.turn([eventOutput(), freshnessOutput(FRESH_AGES)]);
    const proxy = await openLateProxy({ port: Number(new URL(server.url).port) }, LATE_MS);
    close.unshift(() => proxy.close());
    const quick = await createEdge(server.url);
    const late = await createEdge(`nats://127.0.0.1:${proxy.port}`);
    for (const edge of [quick, late]) close.unshift(edge.remove);
    await Promise.all([quick.start(), late.start()]);

    let isOver = false;
    const turning = (async () => {
      for (let turn = 0; !isOver; turn++) {
        await leader.turn(outputsOf(turn));
        await delay(TURN_MS);
      }
    })();
    close.unshift(() => {
      isOver = true;
      return turning;
    });
    const cursors = new Map<string, number>();
    let frames = 0;
    let kills = 0;
    let starting: Promise<void> = Promise.resolve();
    for (let hop = 0; hop < hops; hop++) {
      const edge = hop % 2 === 0 ? quick : late;
      if (edge === quick) await starting;
      await edge.isReady();
      const before = frames;
      const wanted = 1 + Math.floor(random() * 12);
      await readSome(edge.url(), cursors, wanted, leader.epoch, (name, seq, text) => {
        const expected = leader.texts.get(`${name} ${seq}`);
        assert.equal(text, expected, `hop ${hop}: frame ${name} ${seq} is not that of the engine`);
        const last = cursors.get(name);
        if (last !== undefined)
          assert.equal(seq, last + 1, `hop ${hop}: ${name} goes from ${last} to ${seq}`);
        cursors.set(name, seq);
        frames += 1;
      });
      // Every tenth time at least, and so in a short run too.
      if (edge === quick && hop + 1 < hops && (random() < 0.1 || hop % 20 === 8)) {
        await quick.kill();
        kills += 1;
        starting = quick.start();
      }
      report(`hop ${hop + 1}: ${frames - before} frames`);
    }
    await starting;
    return { frames, kills };
  } finally {
    for (const each of close) await each();
  }
}

function outputsOf(turn: number): readonly Output[] {
  const outputs: Output[] = [countersOutput({ real: turn })];
  if (turn % 3 === 0) {
    outputs.push(postOutput({ id: String(1_000_000 + turn), createdAt: Date.now(), text: `post ${turn} ü` }));
  }
  if (turn % 25 === 24) outputs.push(freshnessOutput(FRESH_AGES));
  return outputs;
}

/** Reads some frames on all channels from the cursors on, and leaves. */
async function readSome(
  url: string,
  cursors: ReadonlyMap<string, number>,
  wanted: number,
  epoch: string,
  onFrame: (name: string, seq: number, text: string) => void,
): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed`);
  let count = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', (code) => reject(new Error(`closed with ${code}`)));
      socket.on('open', () => {
        const channels = CHANNELS.map((channel) => {
          const seq = cursors.get(`${channel}/account_a`);
          return { channel, account: 'account_a', ...(seq !== undefined && { resume: { epoch, seq } }) };
        });
        socket.send(JSON.stringify({ op: 'subscribe', channels }));
      });
      socket.on('message', (data) => {
        const text = String(data);
        try {
          const frame = Frame.parse(JSON.parse(text));
          const name = `${frame.channel}/${frame.account}`;
          if (frame.type === 'error') throw new Error(`the edge says ${text}`);
          if (frame.type === 'snapshot' && cursors.has(name)) throw new Error(`a snapshot came: ${text}`);
          if (frame.type !== 'update') return;
          onFrame(name, frame.seq ?? 0, text);
          if (++count >= wanted) resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  } finally {
    socket.removeAllListeners();
    socket.on('error', () => undefined);
    socket.terminate();
  }
}
