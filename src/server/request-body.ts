import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { InvalidRequest } from '../contract/validation/validate.ts';
import { RequestError } from '../errors.ts';

/** Far more than any valid body needs. */
const MAX_BODY_BYTES = 16 * 1_024;
/**
 * A refused body is read to its end first, up to this size: a caller that sends all of it before it reads the answer
 * would otherwise find the connection closed.
 */
const MAX_DISCARDED_BYTES = 1_024 * 1_024;

/** Room for the first bytes of a body; it is doubled whenever it is full. */
const FIRST_BYTES = 64;
const NONE = Buffer.alloc(0);

/** The bytes of a body, or why there are none: it is longer than allowed, or the connection ended before it did. */
type Body = Buffer | 'too large' | 'cut off';

const bodies = new WeakMap<IncomingMessage, Promise<Body>>();

/** Reads the body of a request. Whoever asks for it again gets the same one. */
export function receiveBody(req: IncomingMessage): Promise<Body> {
  const body = bodies.get(req) ?? readBytes(req);
  bodies.set(req, body);
  return body;
}

/** The text of a JSON body; empty without a body. Rejects with a RequestError. */
export async function receiveJson(req: IncomingMessage): Promise<string> {
  const { headers } = req;
  if (declaredLength(headers) === 0) return '';
  const body = await receiveBody(req);
  // Nobody reads the answer, but the request has to end.
  if (body === 'cut off')
    throw new RequestError(400, 'body_incomplete', 'The connection ended before the body did');
  const refusal = encodingRefusal(headers) ?? typeRefusal(headers);
  if (refusal !== undefined) throw refusal;
  if (body === 'too large')
    throw new RequestError(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes`);
  return decode(body);
}

/** Null where it is known only at the end. */
function declaredLength(headers: IncomingHttpHeaders): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

function encodingRefusal({ 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders) {
  if (encoding.trim().toLowerCase() === 'identity') return undefined;
  const message = 'The body has to be sent as it is, without a content encoding';
  return new RequestError(415, 'unsupported_media_type', message, { 'Accept-Encoding': 'identity' });
}

function typeRefusal({ 'content-type': type = '' }: IncomingHttpHeaders) {
  const [essence = ''] = type.split(';', 1);
  if (/^application\/(?:[\w.!#$&^-]+\+)?json$/i.test(essence.trim())) return undefined;
  const message = 'The body has to be JSON, with the Content-Type application/json';
  return new RequestError(415, 'unsupported_media_type', message, { Accept: 'application/json' });
}

function readBytes(req: IncomingMessage): Promise<Body> {
  const declared = declaredLength(req.headers);
  if (declared === 0) return Promise.resolve(NONE);
  if (declared !== null && declared > MAX_DISCARDED_BYTES) return Promise.resolve('too large');
  return new Promise((resolve) => {
    let bytes: Buffer = NONE;
    let received = 0;
    const end = (body: Body) => {
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      req.pause();
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      const before = received;
      received += chunk.length;
      bytes = received > MAX_BODY_BYTES ? NONE : appended(bytes, before, chunk);
      if (received > MAX_DISCARDED_BYTES) end('too large');
    };
    const onEnd = () => end(received > MAX_BODY_BYTES ? 'too large' : bytes.subarray(0, received));
    const onGone = () => end('cut off');
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (req.readableEnded) onEnd();
    else if (req.destroyed) onGone();
    else req.resume();
  });
}

/** The first `length` of the bytes and the chunk. A copy, as a body that comes byte by byte would take a buffer for each. */
function appended(bytes: Buffer, length: number, chunk: Buffer): Buffer {
  const needed = length + chunk.length;
  let room = bytes;
  if (needed > bytes.length) {
    room = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * needed));
    bytes.copy(room, 0, 0, length);
  }
  chunk.copy(room, length);
  return room;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // JSON is always UTF-8.
    throw new InvalidRequest([{ loc: ['body', 0], msg: 'JSON decode error', type: 'json_invalid' }]);
  }
}
