import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that runs a module, and the messages it has sent so far. */
export interface Child {
  readonly process: ChildProcess;
  readonly messages: readonly unknown[];
  /** Resolves to the first message that `matches`, even an earlier one; rejects if the child ends without one. */
  firstMessage(matches: (message: unknown) => boolean): Promise<unknown>;
  /** Resolves to the exit code, or the signal that ended it. */
  ended(): Promise<number | string | null>;
}

interface ChildOptions {
  /** Of Node itself. */
  readonly flags?: readonly string[];
  /** Beside that of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export function startChild(
  url: URL,
  args: readonly string[],
  { flags = [], env = {} }: ChildOptions = {},
): Child {
  const child = fork(url, [...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...flags],
    env: { ...process.env, ...env },
  });
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
    firstMessage: (matches) =>
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

/** Sends a message to the parent; does nothing outside a child process. */
export function sendToParent(message: unknown): void {
  process.send?.(message);
}

/** Resolves once all of it is sent: a long message takes several steps, and is lost when the process ends before the last. */
export function deliverToParent(message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) resolve();
    else process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
