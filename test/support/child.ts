import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of its own running the module at `url`, with what it said so far. */
export interface Child {
  readonly process: ChildProcess;
  readonly messages: readonly unknown[];
  /** Resolves to the first message that `matches`, also an earlier one; rejects if the child ends before. */
  heard(matches: (message: unknown) => boolean): Promise<unknown>;
  /** Resolves to the exit code, or the signal that ended it. */
  ended(): Promise<number | string | null>;
}

export function startChild(url: URL, args: readonly string[]): Child {
  const child = fork(url, [...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const messages: unknown[] = [];
  let errors = '';
  child.on('message', (message) => messages.push(message));
  child.stdout?.resume();
  child.stderr?.on('data', (bytes: Buffer) => {
    errors += bytes.toString();
  });
  const end = once(child, 'close').then(([code, signal]): number | string | null => signal ?? code);
  return {
    process: child,
    messages,
    heard: (matches) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = messages.find(matches);
          if (found !== undefined) resolve(found);
        };
        child.on('message', look);
        look();
        end.then((how) => reject(new Error(`the child ended with ${how} before that: ${errors}`)), reject);
      }),
    ended: () => end,
  };
}

/** Says something to the parent. Outside a child process it says nothing. */
export function tellParent(message: unknown): void {
  process.send?.(message);
}
