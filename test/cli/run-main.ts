import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));

/** The machine's own settings stay out of the tests. */
const CLEAN_ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(TALLYWIRE_|PORT$)/.test(name)),
);

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** The next line on stdout; rejects when the process ends before. */
  line(): Promise<string>;
  readonly ended: Promise<Ended>;
}

export function startMain(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...CLEAN_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes;
  });
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes;
  });
  let taken = 0;
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  return {
    child,
    ended,
    async line() {
      for (;;) {
        const end = stdout.indexOf('\n', taken);
        if (end >= 0) {
          const line = stdout.slice(taken, end);
          taken = end + 1;
          return line;
        }
        if (child.stdout.closed) throw new Error(`ended without a line: ${stderr}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
    },
  };
}

export function runMain(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return startMain(args, env).ended;
}
