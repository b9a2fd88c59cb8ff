import { extname } from 'node:path';
import { type Child, startChild } from '../support/child.ts';
import type { Kept } from './crash-rows.ts';

/** A folder to start on. */
export interface Look {
  readonly data: string;
  readonly paymentIds: readonly string[];
}

export interface Found {
  readonly is: 'found';
  readonly kept: Kept;
  /** The first difference between what is stored and what follows from the log, as it was found and after more was written. */
  readonly difference: string | null;
  readonly differenceAfter: string | null;
  /** What an operator was told as an error. */
  readonly told: readonly string[];
}

export type StartEnd = Found | { readonly is: 'refused' | 'crashed'; readonly how: string };

const CHILD = new URL(`./crash-child${extname(import.meta.url)}`, import.meta.url);
const LONGEST_MS = 180_000;

export interface Starts {
  start(look: Look): Promise<StartEnd>;
  close(): Promise<void>;
}

/** Starts in a process that is begun again when one of them has ended it. */
export function createStarts(): Starts {
  let child: Child | undefined;
  return {
    start(look) {
      const running = child ?? startChild(CHILD, []);
      child = running;
      return new Promise((resolve) => {
        const deadline = setTimeout(() => running.process.kill('SIGKILL'), LONGEST_MS);
        const end = (how: StartEnd) => {
          clearTimeout(deadline);
          running.process.off('message', end);
          resolve(how);
        };
        running.process.on('message', end);
        void running.ended().then((how) => {
          if (child === running) child = undefined;
          end({ is: 'crashed', how: String(how) });
        });
        running.process.send({ ...look });
      });
    },
    async close() {
      child?.process.kill('SIGKILL');
      await child?.ended();
    },
  };
}
