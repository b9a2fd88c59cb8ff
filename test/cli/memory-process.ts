import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { OutputStream, ProcessLike } from '../../src/cli/process-like.ts';

export interface MemoryProcess extends ProcessLike {
  /** What was written so far. */
  readonly texts: { readonly stdout: string; readonly stderr: string };
  readonly exits: readonly number[];
  readonly signals: EventEmitter;
}

/** A process in memory, with or without a terminal. */
export function memoryProcess(isTTY = false): MemoryProcess {
  const texts = { stdout: '', stderr: '' };
  const exits: number[] = [];
  const signals = new EventEmitter();
  const into = (name: keyof typeof texts): OutputStream =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          texts[name] += chunk;
          done();
        },
      }),
      { isTTY, columns: 100 },
    );
  return {
    env: {},
    stdout: into('stdout'),
    stderr: into('stderr'),
    on: (signal, listener) => signals.on(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
    exit: (code) => void exits.push(code),
    texts,
    exits,
    signals,
  };
}
