import type { Writable } from 'node:stream';

/** A stream of the process; on a terminal it knows its width. */
export interface ShellStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a command sees of the process it runs in. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: ShellStream;
  readonly stderr: ShellStream;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}
