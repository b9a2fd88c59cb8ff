import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { ServiceError } from '../../errors.ts';

/** Where a running engine takes orders from its own machine. One JSON line in, one JSON line out. */
export interface ControlSocket {
  close(): Promise<void>;
}

export type Reply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly message: string };

const MAX_LINE_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;
/** Only the user who runs the engine may connect: the socket is made without rights for anyone else. */
const OWNER_ONLY = 0o177;

/**
 * Listens at `path`, which whoever holds the lock of the folder may take over. An order that fails is answered
 * with its message; `report` is told as well when the failure is a bug.
 */
export async function openControlSocket(
  path: string,
  serve: (order: unknown) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<ControlSocket> {
  rmSync(path, { force: true });
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    caller.once('close', () => callers.delete(caller));
    void attend(caller, serve, report);
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

async function attend(
  caller: Socket,
  serve: (order: unknown) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<void> {
  let reply: Reply;
  try {
    reply = { ok: true, result: await serve(orderOf(await readLine(caller))) };
  } catch (error) {
    const isExpected = error instanceof ServiceError;
    if (!isExpected) report(error);
    reply = { ok: false, message: isExpected ? error.message : 'the order failed' };
  }
  caller.end(`${JSON.stringify(reply)}\n`, () => caller.destroy());
}

/** What is no JSON is no order, and refused as such. */
function orderOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Hands one order to the engine at `path`. Resolves to undefined when none is listening there. */
export async function askControlSocket(path: string, order: object): Promise<Reply | undefined> {
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (error) {
    socket.destroy();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return undefined;
    throw new ServiceError('DESK_UNREACHABLE', `cannot reach the running engine: ${String(code)}`, {
      cause: error,
    });
  }
  socket.write(`${JSON.stringify(order)}\n`);
  // What the engine writes is ours: a Reply.
  return JSON.parse(await readLine(socket)) as Reply;
}

/** The first line a peer sends; rejects when it is too long, late, or never comes. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (why: string) => {
      socket.destroy();
      reject(new ServiceError('DESK_SILENT', `the other side of the local socket ${why}`));
    };
    socket.setEncoding('utf8');
    socket.setTimeout(TIMEOUT_MS, () => fail(`said nothing for ${TIMEOUT_MS} ms`));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_LINE_BYTES) fail('said too much');
    });
    socket.once('end', () => fail('hung up'));
    socket.once('error', () => fail('broke off'));
  });
}
