import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A kept connection that calls `answered` for every whole answer, with its status. */
export async function connectTo(
  port: number,
  answered: (socket: Socket, status: number) => void,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  let pending = '';
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    pending += chunk;
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\nContent-Length: (\d+)/i.exec(pending.slice(0, headEnd))?.[1] ?? 0);
    if (pending.length < headEnd + 4 + length) return;
    const status = Number(pending.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    pending = '';
    answered(socket, status);
  });
  await once(socket, 'connect');
  return socket;
}
