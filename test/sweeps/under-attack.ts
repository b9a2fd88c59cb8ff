import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type Child, startChild } from '../support/child.ts';
import { NPM_START } from '../support/npm-start.ts';
import type { Attack, Field } from './attack.ts';

/** What became of the server and of its good clients under an attack. */
export interface Suffered {
  readonly name: string;
  /** A few words of the attack itself. */
  readonly note: string;
  /** The most memory that the server had, beyond what it had right after a collection before the attack. */
  readonly memoryMb: number;
  /** How long good clients waited for an answer: 99 of 100 no longer. Null when there was none. */
  readonly p99Ms: number | null;
  /** The same for the time between two frames of the feed. */
  readonly gapMs: number | null;
  /** Connections that the server still held at the end, beside those of the good clients. */
  readonly connectionsLeft: number;
  /** What must not happen, whatever the figures are. */
  readonly wrong: readonly string[];
}

/** As `npm start` runs the program, with collections on request. */
const AS_STARTED = { env: NPM_START.env, flags: ['--expose-gc', ...NPM_START.flags] };
/**
 * In which the server has come to the memory it usually takes: what it keeps stays the same from the start, while the
 * pages that allocators hold for it grow for about this long.
 */
const WARM_MS = 100_000;
const SAMPLE_MS = 10;
const MB = 1_000_000;

const Held = z.object({ connections: z.number() });
const Seen = z.object({
  failures: z.array(z.string()),
  p99Ms: z.number().nullable(),
  gapMs: z.number().nullable(),
  lost: z.number(),
});

/** A server with the usual limits and its good clients, each in a process of its own. */
interface Stage {
  readonly port: number;
  readonly pid: number;
  readonly target: Child;
  readonly clients: Child;
}

/** A server of its own for each attack, so that none starts on what another has left. */
export function underAttack(
  { name, run }: Attack,
  field: Omit<Field, 'port'>,
  warmMs = WARM_MS,
): Promise<Suffered> {
  return onStage(warmMs, async ({ port, pid, target, clients }) => {
    const wrong: string[] = [];
    const rested = await ask(target, 'report', Held);
    const restedBytes = await memoryOf(pid);
    await ask(clients, 'report', Seen);
    const memory = watchMemory(pid);
    const attack = run({ ...field, port }).catch((error: unknown) => {
      wrong.push(String(error));
      return 'a wrong answer';
    });
    const note = await whileRunning(target, attack).finally(memory.stop);
    const { failures, lost, p99Ms, gapMs } = await ask(clients, 'report', Seen);
    const peak = memory.most();
    const { connections } = await ask(target, 'report', Held);
    wrong.push(...new Set(failures));
    if (lost > 0) wrong.push('the good reader of the feed lost its connection');
    const connectionsLeft = connections - rested.connections;
    return { name, note, memoryMb: (peak - restedBytes) / MB, p99Ms, gapMs, connectionsLeft, wrong };
  });
}

async function onStage<T>(warmMs: number, act: (stage: Stage) => Promise<T>): Promise<T> {
  const target = startChild(new URL('./hostile-target.js', import.meta.url), [], AS_STARTED);
  const children = [target];
  try {
    const { url } = z.object({ url: z.string() }).parse(await target.firstMessage(() => true));
    const port = Number(new URL(url).port);
    const clients = startChild(new URL('./hostile-clients.js', import.meta.url), [String(port)]);
    children.push(clients);
    await delay(warmMs);
    await ask(target, 'rest', Held);
    return await act({ port, pid: target.process.pid ?? 0, target, clients });
  } finally {
    for (const child of children) child.process.kill('SIGTERM');
    await Promise.all(children.map((child) => child.ended()));
  }
}

async function ask<T>(child: Child, order: string, schema: z.ZodType<T>): Promise<T> {
  const answer = once(child.process, 'message');
  child.process.send(order);
  return schema.parse((await whileRunning(child, answer))[0]);
}

function whileRunning<T>(child: Child, work: Promise<T>): Promise<T> {
  const ended = child.ended().then((how) => {
    throw new Error(`${child.process.spawnargs.at(-1)} ended with ${how}`);
  });
  return Promise.race([work, ended]);
}

/**
 * The memory of a process that is its own, in bytes. Pages of files are left out: the store writes all the time, and the
 * system takes its pages back when it needs them.
 */
async function memoryOf(pid: number): Promise<number> {
  // Empty once the process is gone, which is told elsewhere.
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1_024 * Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

interface MemoryWatch {
  stop(): void;
  /** The most it was until it was stopped. */
  most(): number;
}

function watchMemory(pid: number): MemoryWatch {
  let most = 0;
  let isOver = false;
  void (async () => {
    while (!isOver) {
      most = Math.max(most, await memoryOf(pid));
      await delay(SAMPLE_MS);
    }
  })();
  return {
    stop() {
      isOver = true;
    },
    most: () => most,
  };
}
