import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/** A request as it comes off a socket. */
export function request(headers: Record<string, string> = {}, peer = '192.0.2.1'): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const req = new IncomingMessage(socket);
  for (const [name, value] of Object.entries(headers)) req.headers[name.toLowerCase()] = value;
  return req;
}
