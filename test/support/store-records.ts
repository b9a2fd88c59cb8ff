import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observation, Output, OutputOf } from '../../streams/internal.ts';

/** A folder of its own, handed to `use` and removed after. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The observation that every test and child process agrees on for a seq. */
export function tickAt(seq: number): Observation {
  return {
    seq,
    receivedAt: 1_000 * seq,
    fact: { kind: 'tick', ages: { 'posts:a': seq * 7, events: seq % 13 } },
  };
}

export function ticks(fromSeq: number, count: number): Observation[] {
  return Array.from({ length: count }, (_, index) => tickAt(fromSeq + index));
}

/** The output that goes with `tickAt(seq)`. */
export function velocityAt(seq: number, account = 'a'): Output {
  return {
    stream: 'velocity',
    key: account,
    seq,
    at: 1_000 * seq,
    cause: 'clock',
    record: { account, counted1h: seq % 50, all1h: seq % 70 },
  };
}

export function postOutput(
  seq: number,
  id: string,
  createdAt: number,
  text = 'text',
  account = 'a',
): OutputOf<'posts'> {
  return {
    stream: 'posts',
    key: `${account}/${id}`,
    seq,
    at: seq,
    cause: 'new_post',
    record: {
      account,
      id,
      text,
      createdAt,
      isReply: false,
      isQuote: false,
      isRepost: false,
      via: 'timeline',
      oracleAt: null,
      isCounted: true,
      url: `https://example.test/${id}`,
      seenAt: seq,
      deletedAt: null,
    },
  };
}
