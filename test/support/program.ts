import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));

/** The program as a user runs it, in a process of its own. */
export interface Program {
  readonly process: ChildProcess;
  /** The address it prints with `--json`. Rejects with its error output when it ends without one. */
  readonly url: Promise<string>;
  /** Everything it wrote, once it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `flags` are those of Node. */
export function runProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
): Program {
  const child = spawn(process.execPath, [...flags, MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A variable for tests, which the program does not know.
    env: { ...process.env, TALLYWIRE_NATS_SERVER: undefined, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  const closed = once(child, 'close');
  const ended = closed.then(([code]) => ({ code, stdout, stderr }));
  const url = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      stdout += `${line}\n`;
      const found = /"type":"listening","url":"([^"]+)"/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(({ code }) => reject(new Error(`ended with ${code} before it listened: ${stderr}`)));
  });
  // Whoever does not wait for the address may still wait for the end.
  url.catch(() => undefined);
  return {
    process: child,
    url,
    ended,
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
