import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { textFrame, upgradeRequest } from '../../test/support/raw-websocket.ts';
import { type Handshake, MARK } from './ways.ts';

export interface ReadersOrder {
  readonly port: number;
  readonly handshake: Handshake;
  readonly sockets: number;
}

const AT_A_TIME = 100;
const REST_MS = 5;

async function open(
  port: number,
  { path, isUpgrade, after }: Handshake,
  onData: (bytes: Buffer) => void,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(isUpgrade ? upgradeRequest(path) : `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data');
  if (after !== '') {
    socket.write(textFrame(after));
    await once(socket, 'data');
  }
  socket.on('data', onData);
  return socket;
}

/** Runs in its own process: readers of one port that together count marks, and report when they have as many as expected. */
export async function read({ port, handshake, sockets }: ReadersOrder): Promise<void> {
  const mark = MARK.charCodeAt(0);
  const unchanged = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let count = 0;
  let expected: number | undefined;
  const check = () => {
    if (expected === undefined || count < expected) return;
    if (count > expected) throw new Error(`received ${count} marks, expected ${expected}`);
    count = 0;
    expected = undefined;
    process.send?.('received');
  };
  // Waking a process that waits for messages costs the writer time, which would count against slow writers. So this
  // process sleeps instead.
  const rest = () => {
    if (expected === undefined) return;
    Atomics.wait(unchanged, 0, 0, REST_MS);
    setImmediate(rest);
  };
  const onData = (bytes: Buffer) => {
    for (let from = bytes.indexOf(mark); from >= 0; from = bytes.indexOf(mark, from + 1)) count += 1;
    check();
  };
  for (let made = 0; made < sockets; made += AT_A_TIME) {
    const length = Math.min(AT_A_TIME, sockets - made);
    await Promise.all(Array.from({ length }, () => open(port, handshake, onData)));
  }
  // Frames of the beginning may still be under way.
  await new Promise((resolve) => setTimeout(resolve, 500));
  count = 0;
  process.on('message', (marks: number) => {
    expected = marks;
    check();
    rest();
  });
  process.send?.('open');
}
