import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { messageOf, ServiceError } from '../../errors.ts';

/** Where a running engine takes commands from its own machine: one JSON line in, one JSON line out. */
export interface ControlSocket {
  close(): Promise<void>;
}

type Reply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly message: string; readonly code?: string };

const MAX_LINE_CHARS = 16 * 1024;
const TIMEOUT_MS = 10_000;
/** Only the user who runs the engine may connect: the socket is made without rights for anyone else. */
const OWNER_ONLY = 0o177;

/**
 * Listens at `path`, which the process that holds the lock of the folder may take over. A command that fails is
 * answered with its message and code; a failure that is a bug is answered without one, and goes to `report`.
 */
export async function openControlSocket(
  path: string,
  run: (command: unknown) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<ControlSocket> {
  rmSync(path, { force: true });
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    caller.once('close', () => callers.delete(caller));
    void answer(caller, run, report);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Bound at once, so that no other file is made under this mask.
    const usual = process.umask(OWNER_ONLY);
    server.listen(path, resolve);
    process.umask(usual);
  });
  server.unref();
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const caller of callers) caller.destroy();
      }),
  };
}

async function answer(
  caller: Socket,
  run: (command: unknown) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<void> {
  let reply: Reply;
  try {
    reply = { ok: true, result: await run(commandIn(await readLine(caller))) };
  } catch (error) {
    const isExpected = error instanceof ServiceError;
    if (!isExpected) report(error);
    reply = isExpected
      ? { ok: false, message: error.message, code: error.code }
      : { ok: false, message: 'the command failed' };
  }
  caller.end(`${JSON.stringify(reply)}\n`, () => caller.destroy());
}

/** A line that is not JSON is undefined, which is refused like any other unknown command. */
function commandIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Sends one command to the engine at `path`. Resolves to undefined when none listens there. */
export async function askControlSocket(path: string, command: object): Promise<Reply | undefined> {
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    socket.destroy();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(String(code))) return undefined;
    const why = messageOf(error);
    throw new ServiceError('CONTROL_UNREACHABLE', `cannot reach the running engine: ${why}`, {
      cause: error,
    });
  }
  socket.write(`${JSON.stringify(command)}\n`);
  // Only an engine of this program listens there, and it writes a Reply.
  return JSON.parse(await readLine(socket)) as Reply;
}

/** The first line a peer sends; rejects when it is too long, late, or never comes. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (why: string) => {
      socket.destroy();
      reject(new ServiceError('CONTROL_SILENT', `the other side of the control socket ${why}`));
    };
    socket.setEncoding('utf8');
    socket.setTimeout(TIMEOUT_MS, () => fail(`sent nothing for ${TIMEOUT_MS} ms`));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_LINE_CHARS) fail('sent too long a line');
    });
    socket.once('end', () => fail('closed the connection'));
    socket.once('error', () => fail('broke the connection off'));
  });
}
