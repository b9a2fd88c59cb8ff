import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import * as z from 'zod';
import { percentile } from '../../streams/internal.ts';
import { openTestBrowser, type TestBrowser, unlock } from '../dashboard/test-browser.ts';
import { startChild } from '../support/child.ts';
import { runProgram } from '../support/program.ts';
import { frameWork, TRACED } from './frame-work.ts';

/** Measurements of one stretch of time. */
export interface PageSample {
  readonly minutes: number;
  /** After garbage collection. */
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly updatesPerSecond: number;
  /** From one frame to the next. */
  readonly gapMs: Spread;
  /** Work of the main thread for each frame. */
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
}

export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly most: number;
}

interface PageSweep {
  /** What the page is of: a server with 50 updates a second, or the demo that runs so many times faster than time. */
  readonly of: 'busy' | { readonly demoSpeed: number };
  readonly samples: number;
  /** Time between two samples; frames are traced for `traceMs` of it. */
  readonly everyMs: number;
  readonly traceMs: number;
  readonly report: (sample: PageSample) => void;
}

/** Least rate of the feed. */
const UPDATES_PER_SECOND = 50;

interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** A server whose feed sends at least 50 updates a second. */
async function openBusy(): Promise<Site> {
  const child = startChild(new URL('./busy-child.js', import.meta.url), []);
  const { url } = z.object({ url: z.string() }).parse(await child.firstMessage(() => true));
  return {
    url,
    async close() {
      child.process.kill('SIGTERM');
      await child.ended();
    },
  };
}

/** The demo as a user runs it, in which events open and close. */
async function openDemo(speed: number): Promise<Site> {
  const data = await mkdtemp(join(tmpdir(), 'tallywire-demo-'));
  const program = runProgram(['start', '--json', '--port', '0', '--data', data, '--speed', String(speed)]);
  return {
    url: await program.url,
    async close() {
      await program.kill('SIGTERM');
      await rm(data, { recursive: true });
    },
  };
}

/** The demo reads its history first, on a busy machine for minutes. */
const FILLED_WITHIN_MS = 300_000;

/** Keeps a page open with a key, so that everything is drawn, and measures its memory and the work of its frames. */
export async function sweepPage(sweep: PageSweep): Promise<PageSample[]> {
  const { samples, everyMs, traceMs, report } = sweep;
  const site = sweep.of === 'busy' ? await openBusy() : await openDemo(sweep.of.demoSpeed);
  let browser: TestBrowser | undefined;
  try {
    browser = await openTestBrowser();
    const { page } = await browser.openPage({
      viewport: { width: 1_600, height: 1_000 },
      reducedMotion: 'no-preference',
    });
    let updates = 0;
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (payload.includes('"type":"update"')) updates += 1;
      }),
    );
    await page.goto(site.url);
    await unlock(page, 'demo_pro');
    await page.waitForSelector('[data-level=p50]', { timeout: FILLED_WITHIN_MS });
    await page.waitForSelector('#trade table.grid tbody tr', { timeout: FILLED_WITHIN_MS });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const startedAt = performance.now();
    const taken: PageSample[] = [];
    for (let number = 1; number <= samples; number++) {
      const before = { updates, at: performance.now() };
      await delay(everyMs - traceMs);
      const frames = await traceFrames(browser, page, traceMs);
      const seconds = (performance.now() - before.at) / 1_000;
      const sample: PageSample = {
        minutes: (performance.now() - startedAt) / 60_000,
        updatesPerSecond: (updates - before.updates) / seconds,
        ...(await readMemory(devtools)),
        ...frames,
      };
      taken.push(sample);
      report(sample);
    }
    return taken;
  } finally {
    await browser?.close();
    await site.close();
  }
}

/** Most work for a frame, at 60 frames a second. */
const MOST_FRAME_MS = 16;
/** Growth of the heap from the second quarter of the time to the last; in the first the code is still compiled. */
const MOST_GROWTH = 0.05;

interface PageAssessment {
  readonly summary: string;
  readonly isGood: boolean;
}

/** Whether memory stayed level and frames were short, at the least rate of updates. */
export function assessPage(
  samples: readonly PageSample[],
  leastUpdates: number = UPDATES_PER_SECOND,
): PageAssessment {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const first = median(samples.slice(quarter, 2 * quarter).map(({ heapBytes }) => heapBytes));
  const last = median(samples.slice(-quarter).map(({ heapBytes }) => heapBytes));
  const growth = last / first - 1;
  const worstMs = Math.max(...samples.map(({ cpuMs }) => cpuMs.p99));
  const updates = Math.min(...samples.map(({ updatesPerSecond }) => updatesPerSecond));
  const summary = [
    `heap ${(first / 1_000_000).toFixed(2)} MB in the second quarter and ${(last / 1_000_000).toFixed(2)} MB in the last (${(growth * 100).toFixed(1)} %)`,
    `p99 of a frame's work ${worstMs.toFixed(1)} ms in the worst minute`,
    `never fewer than ${updates.toFixed(0)} updates a second`,
  ].join('; ');
  const isGood = growth < MOST_GROWTH && worstMs < MOST_FRAME_MS && updates >= leastUpdates;
  return { summary, isGood };
}

function median(values: readonly number[]): number {
  return (
    percentile(
      values.toSorted((a, b) => a - b),
      50,
    ) ?? Number.NaN
  );
}

async function readMemory(
  devtools: CDPSession,
): Promise<Pick<PageSample, 'heapBytes' | 'nodes' | 'listeners'>> {
  // Freed objects may free others.
  for (let turn = 0; turn < 3; turn++) await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const read = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { heapBytes: read('JSHeapUsedSize'), nodes: read('Nodes'), listeners: read('JSEventListeners') };
}

/** During the trace the page renders as many frames as it can. */
async function traceFrames(
  { browser }: TestBrowser,
  page: Page,
  traceMs: number,
): Promise<Pick<PageSample, 'gapMs' | 'wallMs' | 'cpuMs'>> {
  await browser.startTracing(page, { categories: TRACED });
  const gaps = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = [];
    const next = (at) => {
      times.push(at);
      if (at - times[0] < ${traceMs}) requestAnimationFrame(next);
      else resolve(times.slice(1).map((time, place) => time - times[place]));
    };
    requestAnimationFrame(next);
  })`);
  const trace = await browser.stopTracing();
  const { wallMs, cpuMs } = frameWork(trace.toString('utf8'));
  return { gapMs: spread(gaps), wallMs: spread(wallMs), cpuMs: spread(cpuMs) };
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (level: number) => percentile(sorted, level) ?? Number.NaN;
  return { p50: at(50), p95: at(95), p99: at(99), most: at(100) };
}
