import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Key } from '#database';
import { wasEndedByStore } from './child-end.ts';
import type { CopyJob, CopyMessage, PartWork } from './copy-messages.ts';

/** A process that tells nothing for this long is ended; that proves nothing about the store. */
const SILENCE_MS = 120_000;
const ROWS_PER_STEP = 1_000;
/** Names of rows that are told, of each part. */
const MOST_NAMED = 20;

/** Rows that end whoever reads them: those after one and before another, or at an end. */
export interface UnreadableRows {
  readonly after: Key | null;
  readonly before: Key | null;
  readonly reason: string;
}

/** What was found in one part. */
export interface PartFinding {
  readonly part: string;
  /** Good ones. */
  readonly rows: number;
  readonly badRows: number;
  /** Names of bad rows, the first few. */
  readonly bad: readonly string[];
  readonly unreadable: UnreadableRows | null;
  /** Rows that are missing or too old, as sentences. */
  readonly faults: readonly string[];
}

export interface CheckpointFinding {
  readonly seq: number;
  readonly at: number;
  readonly isGood: boolean;
}

export type CopyOutcome =
  | {
      readonly is: 'read';
      readonly layout: number;
      readonly parts: readonly PartFinding[];
      readonly checkpoints: readonly CheckpointFinding[];
      /** Up to which seq outputs are kept; null where that cannot be read. */
      readonly upTo: number | null;
    }
  /** Proven: the library says so, or ends with its process. */
  | { readonly is: 'unopenable'; readonly reason: string }
  /** Nothing is proven: the process was ended, ran out of something, or never began. */
  | { readonly is: 'unknown'; readonly reason: string };

export function isDamaged({ badRows, unreadable, faults }: PartFinding): boolean {
  return badRows > 0 || unreadable !== null || faults.length > 0;
}

interface CopyRequest {
  readonly source: string;
  readonly target?: string;
  readonly parts: readonly string[];
  readonly onProgress?: (part: string, rows: number) => void;
  readonly silenceMs?: number;
}

type ProcessEnd =
  | { readonly is: 'done' }
  /** At a row that it could not read, or, ended by it, at any row since the last that it told of. */
  | { readonly is: 'stuck'; readonly at: 'next row' | 'some row'; readonly reason: string }
  | { readonly is: 'unopenable'; readonly reason: string }
  | { readonly is: 'unknown'; readonly reason: string };

function runProcess(
  job: CopyJob,
  silenceMs: number,
  onMessage: (message: CopyMessage) => void,
): Promise<ProcessEnd> {
  const file = new URL(`./copy-process${extname(import.meta.url)}`, import.meta.url);
  const args = [...process.execArgv, fileURLToPath(file), JSON.stringify(job)];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let end: ProcessEnd | undefined;
    let errors = '';
    let isOpened = false;
    const endedBy = (reason: string): ProcessEnd =>
      isOpened ? { is: 'stuck', at: 'some row', reason } : { is: 'unopenable', reason };
    const silence = setTimeout(() => {
      end = { is: 'unknown', reason: `the process that read it told nothing for ${silenceMs} ms` };
      child.kill('SIGKILL');
    }, silenceMs);
    child.on('error', (error) => {
      end = { is: 'unknown', reason: `no process could be started to read it: ${error.message}` };
    });
    child.stderr.on('data', (bytes: Buffer) => {
      errors = `${errors}${bytes.toString()}`.slice(-2_000);
    });
    createInterface(child.stdout).on('line', (line) => {
      silence.refresh();
      const message = parseMessage(line);
      if (message === undefined) return;
      if (message.is === 'opened') isOpened = true;
      if (message.is === 'stuck') end = { is: 'stuck', at: 'next row', reason: message.message };
      if (message.is === 'unopenable') end = endedBy(message.message);
      if (message.is === 'failed') end = { is: 'unknown', reason: message.message };
      onMessage(message);
    });
    child.on('close', (code, signal) => {
      clearTimeout(silence);
      if (end !== undefined) return resolve(end);
      if (code === 0) return resolve({ is: 'done' });
      const how = signal ?? `exit code ${code}`;
      const said = errors.trim().split('\n').at(0) ?? '';
      const reason = `the process that read it ended with ${how}${said === '' ? '' : `: ${said}`}`;
      resolve(wasEndedByStore(signal, errors) ? endedBy(reason) : { is: 'unknown', reason });
    });
  });
}

/** Undefined for a line that the end of the process cut. */
function parseMessage(line: string): CopyMessage | undefined {
  try {
    // Told by copy-process.ts.
    return JSON.parse(line) as CopyMessage;
  } catch {
    return undefined;
  }
}

interface Progress {
  rows: number;
  badRows: number;
  readonly bad: string[];
  unreadable: UnreadableRows | null;
  readonly faults: string[];
}

/** The other ways to read a part, after one that met a row that cannot be read: row by row up to it, then from the end. */
function nextWay(work: PartWork, reached: Key | null, at: 'next row' | 'some row'): PartWork | undefined {
  if (at === 'some row' && work.rowsPerStep > 1) return { ...work, rowsPerStep: 1, after: reached };
  if (work.isReverse) return undefined;
  return { ...work, rowsPerStep: ROWS_PER_STEP, isReverse: true, after: null, until: reached };
}

/**
 * Reads parts of a store in other processes, because a damaged one may end the process that reads it, and copies the
 * rows whose checksums hold. Where the process ends, the rest is read from the other end.
 */
export async function copyParts(request: CopyRequest): Promise<CopyOutcome> {
  const { source, target = null, onProgress, silenceMs = SILENCE_MS } = request;
  const found = new Map<string, Progress>();
  let work: readonly PartWork[] = request.parts.map((part) => ({
    part,
    rowsPerStep: ROWS_PER_STEP,
    isReverse: false,
    after: null,
    until: null,
  }));
  const compares = target === null;
  const checkpoints: CheckpointFinding[] = [];
  let layout = 0;
  let upTo: number | null = null;
  const progressOf = (part: string): Progress => {
    const known = found.get(part) ?? { rows: 0, badRows: 0, bad: [], unreadable: null, faults: [] };
    found.set(part, known);
    return known;
  };

  for (let isOver = false; !isOver; ) {
    let current: PartWork | undefined;
    let reached: Key | null = null;
    let ended = 0;
    const end = await runProcess({ source, target, work, compares }, silenceMs, (message) => {
      switch (message.is) {
        case 'opened':
          layout = message.layout;
          return;
        case 'mark':
          upTo = message.upTo;
          return;
        case 'begun':
          current = work.find(({ part }) => part === message.part);
          reached = current?.after ?? null;
          progressOf(message.part);
          return;
        case 'rows': {
          const progress = progressOf(message.part);
          progress.rows += message.rows;
          progress.badRows += message.bad.length;
          progress.bad.push(...message.bad.slice(0, MOST_NAMED - progress.bad.length));
          reached = message.last;
          if (current?.isReverse && progress.unreadable) {
            progress.unreadable = { ...progress.unreadable, before: message.last };
          }
          onProgress?.(message.part, progress.rows);
          return;
        }
        case 'checkpoint':
          checkpoints.push({ seq: message.seq, at: message.at, isGood: message.isGood });
          return;
        case 'ended':
          // What ended one process did not end another that took the same way.
          if (current?.isReverse === false) progressOf(message.part).unreadable = null;
          current = undefined;
          ended += 1;
          return;
        case 'fault':
          progressOf(message.part).faults.push(message.message);
          return;
        default:
          return;
      }
    });
    if (end.is === 'unopenable' || end.is === 'unknown') return end;
    if (end.is === 'done') break;
    const stuckAt: PartWork | undefined = current;
    if (stuckAt === undefined) {
      // The process ended between two parts, or while it compared them.
      progressOf('meta').faults.push(end.reason);
      if (ended === work.length) break;
      if (ended === 0) return { is: 'unknown', reason: end.reason };
      work = work.slice(ended);
      continue;
    }
    const { part, isReverse, until } = stuckAt;
    const { unreadable } = progressOf(part);
    progressOf(part).unreadable = isReverse
      ? { after: until, before: reached ?? unreadable?.before ?? null, reason: end.reason }
      : { after: reached, before: null, reason: end.reason };
    const next = nextWay(stuckAt, reached, end.at);
    const rest = work.slice(work.indexOf(stuckAt) + 1);
    work = next === undefined ? rest : [next, ...rest];
    isOver = work.length === 0 && !compares;
  }
  const parts = Array.from(found, ([part, progress]) => ({ part, ...progress }));
  return { is: 'read', layout, parts, checkpoints, upTo };
}
