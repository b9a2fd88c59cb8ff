import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { percentile } from '../../streams/internal.ts';
import { type Browsing, openBrowsing, unlock } from '../dashboard/browsing.ts';
import { startChild } from '../support/child.ts';
import { frameWork, TRACED } from './frame-work.ts';

/** Of one stretch of the time. */
export interface PageSample {
  readonly minutes: number;
  /** After all garbage was collected. */
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
  readonly updatesPerSecond: number;
  /** From one frame to the next. */
  readonly gapMs: Spread;
  /** Of the main thread for each frame. */
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
}

export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly most: number;
}

export interface PageSweep {
  readonly samples: number;
  /** Between two samples; frames are looked at for `lookMs` of it. */
  readonly everyMs: number;
  readonly lookMs: number;
  readonly report: (sample: PageSample) => void;
}

/** What is to come over the feed. */
const UPDATES_PER_SECOND = 50;

/**
 * Keeps a page open beside a server whose feed brings 50 updates a second and more, with a key and so with everything there
 * is to draw, and watches its memory and the work of its frames.
 */
export async function sweepPage({ samples, everyMs, lookMs, report }: PageSweep): Promise<PageSample[]> {
  const child = startChild(new URL('./busy-child.js', import.meta.url), []);
  let browsing: Browsing | undefined;
  try {
    browsing = await openBrowsing();
    const { page } = await browsing.look({
      viewport: { width: 1_600, height: 1_000 },
      reducedMotion: 'no-preference',
    });
    let updates = 0;
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (payload.includes('"type":"update"')) updates += 1;
      }),
    );
    const { url } = z.object({ url: z.string() }).parse(await child.heard(() => true));
    await page.goto(url);
    await unlock(page, 'demo_pro');
    await page.waitForSelector('[data-level=p50]', { timeout: 60_000 });
    await page.waitForSelector('#trade table.grid tbody tr', { timeout: 60_000 });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const startedAt = performance.now();
    const taken: PageSample[] = [];
    for (let number = 1; number <= samples; number++) {
      const before = { updates, at: performance.now() };
      await delay(everyMs - lookMs);
      const frames = await lookAtFrames(browsing, page, lookMs);
      const seconds = (performance.now() - before.at) / 1_000;
      const sample: PageSample = {
        minutes: (performance.now() - startedAt) / 60_000,
        updatesPerSecond: (updates - before.updates) / seconds,
        ...(await lookAtMemory(devtools)),
        ...frames,
      };
      taken.push(sample);
      report(sample);
    }
    return taken;
  } finally {
    await browsing?.close();
    child.process.kill('SIGTERM');
    await child.ended();
  }
}

/** Longest work for a frame, at 60 of them a second. */
const MOST_FRAME_MS = 16;
/**
 * Of the heap, from the second quarter of the time to the last; in the first the page's code is still being compiled.
 */
const MOST_GROWTH = 0.05;

export interface Judgement {
  readonly words: string;
  readonly isGood: boolean;
}

/** Whether memory held still and frames were short while the updates came. */
export function judgePage(samples: readonly PageSample[]): Judgement {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const first = median(samples.slice(quarter, 2 * quarter).map(({ heapBytes }) => heapBytes));
  const last = median(samples.slice(-quarter).map(({ heapBytes }) => heapBytes));
  const growth = last / first - 1;
  const worstMs = Math.max(...samples.map(({ cpuMs }) => cpuMs.p99));
  const updates = Math.min(...samples.map(({ updatesPerSecond }) => updatesPerSecond));
  const words = [
    `heap ${(first / 1_000_000).toFixed(2)} MB in the second quarter and ${(last / 1_000_000).toFixed(2)} MB in the last (${(growth * 100).toFixed(1)} %)`,
    `p99 of a frame's work ${worstMs.toFixed(1)} ms in the worst minute`,
    `never fewer than ${updates.toFixed(0)} updates a second`,
  ].join('; ');
  const isGood = growth < MOST_GROWTH && worstMs < MOST_FRAME_MS && updates >= UPDATES_PER_SECOND;
  return { words, isGood };
}

function median(values: readonly number[]): number {
  return (
    percentile(
      values.toSorted((a, b) => a - b),
      50,
    ) ?? Number.NaN
  );
}

async function lookAtMemory(
  devtools: CDPSession,
): Promise<Pick<PageSample, 'heapBytes' | 'nodes' | 'listeners'>> {
  // What is freed may free more.
  for (let turn = 0; turn < 3; turn++) await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const read = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { heapBytes: read('JSHeapUsedSize'), nodes: read('Nodes'), listeners: read('JSEventListeners') };
}

/** While it is looked, the page is asked for as many frames as it can make. */
async function lookAtFrames(
  { browser }: Browsing,
  page: Page,
  lookMs: number,
): Promise<Pick<PageSample, 'gapMs' | 'wallMs' | 'cpuMs'>> {
  await browser.startTracing(page, { categories: TRACED });
  const gaps = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = [];
    const next = (at) => {
      times.push(at);
      if (at - times[0] < ${lookMs}) requestAnimationFrame(next);
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
