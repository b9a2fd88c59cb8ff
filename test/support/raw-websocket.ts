import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const EMPTY = Buffer.alloc(0);
const OPCODE_TEXT = 1;
const OPCODE_CLOSE = 8;
const OPCODE_PING = 9;
/** Masked with zeros, as clients must mask every frame. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** The request for a WebSocket, with further lines of the head. */
export function upgradeRequest(path: string, lines: readonly string[] = []): string {
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    ...lines,
  ];
  return `${head.join('\r\n')}${END_OF_HEAD}`;
}

/** A masked text frame of less than 64 KiB. The mask is zero, which leaves the text as it is. */
export function textFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [0x80 | body.length] : [0xfe, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}

export interface RawWebSocket {
  readonly socket: Socket;
  send(text: string): void;
}

export interface RawListener {
  onOpen(socket: RawWebSocket): void;
  onText(text: string): void;
  onClose(): void;
}

/** A WebSocket without a library: thousands fit into a process and cost little. Pings are answered. */
export function openRawWebSocket(
  port: number,
  path: string,
  lines: readonly string[],
  listener: RawListener,
  localAddress = '127.0.0.1',
): RawWebSocket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const raw: RawWebSocket = { socket, send: (text) => void socket.write(textFrame(text)) };
  let isOpen = false;
  let rest: Buffer = EMPTY;

  function open(): void {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) return;
    if (rest.toString('latin1', 0, 12) !== 'HTTP/1.1 101') {
      socket.destroy();
      return;
    }
    isOpen = true;
    rest = rest.subarray(end + END_OF_HEAD.length);
    listener.onOpen(raw);
  }

  function takeFrame(): boolean {
    const [first, second] = rest;
    if (first === undefined || second === undefined) return false;
    const headLength = second < 126 ? 2 : second === 126 ? 4 : 10;
    if (rest.length < headLength) return false;
    const length =
      headLength === 2 ? second : headLength === 4 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
    if (rest.length < headLength + length) return false;
    const opcode = first & 0x0f;
    if (opcode === OPCODE_TEXT) listener.onText(rest.toString('utf8', headLength, headLength + length));
    else if (opcode === OPCODE_PING) socket.write(PONG);
    else if (opcode === OPCODE_CLOSE) socket.end();
    rest = rest.subarray(headLength + length);
    return true;
  }

  socket.on('data', (bytes: Buffer) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (!isOpen) open();
    while (isOpen && takeFrame());
  });
  // An error is followed by a close.
  socket.on('error', () => undefined);
  socket.on('close', () => listener.onClose());
  socket.write(upgradeRequest(path, lines));
  return raw;
}
