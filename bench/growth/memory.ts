import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** In bytes. Pages of files are the database's and can be taken back at any time, so they are counted apart. */
export interface Memory {
  readonly own: number;
  readonly files: number;
  readonly heap: number;
}

/** The resident memory of this process once everything that can be freed is freed. Needs `--expose-gc`. */
export async function residentMemory(): Promise<Memory> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await delay(100);
  }
  const { rss, heapUsed: heap } = process.memoryUsage();
  if (process.platform !== 'linux') return { own: rss, files: 0, heap };
  const status = readFileSync('/proc/self/status', 'utf8');
  const bytesOf = (name: string) => 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { own: bytesOf('RssAnon'), files: bytesOf('RssFile'), heap };
}
