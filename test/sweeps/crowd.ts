import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../src/client/node.ts';
import { type Child, startChild } from '../support/child.ts';
import { eventually } from '../support/eventually.ts';
import { NPM_START } from '../support/npm-start.ts';
import { type Program, runProgram } from '../support/program.ts';
import type { CrowdOrder, CrowdReport } from './crowd-readers.ts';

export interface CrowdSweep {
  /** Readers that come at the same moment, and stay. */
  readonly readers: number;
  /** Readers that come after them and never read. */
  readonly stalled: number;
  /** How long each part lasts. */
  readonly seconds: number;
  /** With two weeks and more there are forecasts, and the sweep waits for the first. */
  readonly historyDays: number;
  readonly report: (line: string) => void;
}

export interface CrowdFound {
  /** Of the serving process, per reader, when all had come and after they were held. */
  readonly bytesPerReader: number;
  readonly heldBytesPerReader: number;
  /** The longest the loop was held while all were written to. */
  readonly heldMs: number;
  readonly before: CrowdReport;
  readonly beside: CrowdReport;
  /** By how much the stalled ones grew the process, from when they had come to the end. */
  readonly grownBytes: number;
}

interface Vitals {
  readonly rssBytes: number;
  /** Processor time since the start. */
  readonly cpuSeconds: number;
  readonly heldMs: number;
}

const FITTED_DAYS = 14;
/** Moves each second, for everyone. */
const CHANNELS = ['test', 'counters', 'heartbeat'];
/** All that have records. */
const ALL_CHANNELS = ['prediction', 'signals', 'crypto', 'counters', 'velocity', 'lag', 'tweets', 'test'];

/**
 * Lets a crowd come to the feed of the program at the same moment, holds it, and then adds readers that never read.
 * No reader may fail to get in or miss a frame; the caller decides what the others may cost.
 */
export async function sweepCrowd(sweep: CrowdSweep): Promise<CrowdFound> {
  const { readers, stalled, seconds, historyDays, report } = sweep;
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-crowd-'));
  const program = startProgram(join(folder, 'data'), historyDays);
  const crowd = startCrowd();
  const idlers = startCrowd();
  try {
    const url = await program.url;
    const port = Number(new URL(url).port);
    const isReady = historyDays < FITTED_DAYS ? isCounting : isForecasting;
    await eventually('there is something to read', () => isReady(url));
    const alone = await vitals(url);

    const startedAt = performance.now();
    const join = { op: 'join', port, key: 'demo_internal', isStalling: false } as const;
    const came = await order(crowd, { ...join, readers, channels: CHANNELS });
    const cameMs = performance.now() - startedAt;
    report(`${came.open} came at once in ${Math.round(cameMs)} ms, ${came.failed} failed`);
    assert.equal(came.failed, 0, 'a reader was not let in');
    assert.equal(came.open, readers);

    const full = await vitals(url);
    await order(crowd, { op: 'report' });
    await delay(seconds * 1_000);
    const before = await order(crowd, { op: 'report' });
    const held = await vitals(url);
    const perReader = ({ rssBytes }: Vitals) => (rssBytes - alone.rssBytes) / readers;
    report(`held ${seconds} s: ${summary(before)}; ${cost(full, held, seconds)}`);
    // A busy machine may need longer for them.
    let { frames } = before;
    await eventually('enough frames come', async () => {
      if (frames < readers * (seconds - 2)) frames += (await order(crowd, { op: 'report' })).frames;
      return frames >= readers * (seconds - 2);
    });

    const idle = await order(idlers, { ...join, readers: stalled, channels: ALL_CHANNELS, isStalling: true });
    assert.equal(idle.failed, 0, 'a reader that was to stall was not let in');
    const first = await vitals(url);
    await order(crowd, { op: 'report' });
    await delay(seconds * 1_000);
    const beside = await order(crowd, { op: 'report' });
    const last = await vitals(url);
    const { replaced } = await order(idlers, { op: 'report' });
    report(
      `beside ${stalled} that do not read: ${summary(beside)}; ${cost(first, last, seconds)}; ${replaced} were closed`,
    );
    assert.equal(beside.open, readers, 'a reader was lost');
    assert.equal(beside.failed, 0, 'a reader was closed');
    assert.equal(beside.gaps, 0, 'a reader missed a frame');
    return {
      bytesPerReader: perReader(full),
      heldBytesPerReader: perReader(held),
      heldMs: held.heldMs,
      before,
      beside,
      grownBytes: last.rssBytes - first.rssBytes,
    };
  } finally {
    crowd.process.kill();
    idlers.process.kill();
    await program.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

function summary({ open, frames, merged, p50Ms, p99Ms, maxMs }: CrowdReport): string {
  return `${open} readers, ${frames} frames, ${merged} merged, with them after ${p50Ms} ms, p99 ${p99Ms} ms, at most ${maxMs} ms`;
}

function cost(start: Vitals, end: Vitals, seconds: number): string {
  const share = (100 * (end.cpuSeconds - start.cpuSeconds)) / seconds;
  return `${share.toFixed(0)} % of a core, loop held ${end.heldMs.toFixed(0)} ms at most`;
}

function startProgram(data: string, historyDays: number): Program {
  const limits = ['--feed-connections', '--feed-connections-per-address', '--feed-connections-per-key'];
  const args = [
    ...['start', '--json', '--log-level', 'error', '--port', '0', '--data', data],
    ...['--history-days', String(historyDays)],
    ...limits.flatMap((flag) => [flag, '15000']),
    ...['--connections-per-address', '15000', '--feed-connects-per-minute', '1000000'],
    ...['--feed-replay-megabytes-per-minute', '1000000'],
  ];
  return runProgram(args, NPM_START.env, NPM_START.flags);
}

/** At a start the events are not known yet, and the client waits as it is asked to. */
const patientClient = (url: string) =>
  createClient({ url, key: 'demo_internal', retry: { attempts: 30, longestWaitMs: 5_000 } });

async function isCounting(url: string): Promise<boolean> {
  const { data } = await patientClient(url).meta('account_a');
  return data.some(({ real_counter }) => real_counter !== null);
}

async function isForecasting(url: string): Promise<boolean> {
  const { data } = await patientClient(url).prediction('account_a');
  return data.some(({ markets }) => markets.some(({ model_prob }) => typeof model_prob === 'number'));
}

function startCrowd(): Child {
  return startChild(new URL('./crowd-readers.js', import.meta.url), []);
}

async function order({ process: crowd }: Child, given: CrowdOrder): Promise<CrowdReport> {
  crowd.send(given);
  const [report] = (await once(crowd, 'message')) as [CrowdReport];
  return report;
}

/** The program's own metrics; the worst delay of the loop is since the last request. */
async function vitals(url: string): Promise<Vitals> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'X-API-Key': 'demo_internal' } })).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    rssBytes: figure('process_resident_memory_bytes'),
    cpuSeconds: figure('process_cpu_seconds_total'),
    heldMs: figure('nodejs_eventloop_lag_max_seconds') * 1_000,
  };
}
