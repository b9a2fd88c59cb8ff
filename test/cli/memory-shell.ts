import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { Shell, ShellStream } from '../../src/cli/shell.ts';

export interface MemoryShell extends Shell {
  /** What was written so far. */
  readonly texts: { readonly stdout: string; readonly stderr: string };
  readonly exits: readonly number[];
  readonly signals: EventEmitter;
}

/** A process's surroundings in memory; on a terminal when told so. */
export function memoryShell(isTTY = false): MemoryShell {
  const texts = { stdout: '', stderr: '' };
  const exits: number[] = [];
  const signals = new EventEmitter();
  const into = (name: keyof typeof texts): ShellStream =>
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
