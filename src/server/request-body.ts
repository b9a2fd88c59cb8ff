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

/** The text of a JSON body; empty without a body. Rejects with a RequestError. */
export async function receiveJson(req: IncomingMessage): Promise<string> {
  const { headers } = req;
  const declared = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
  if (declared === 0) return '';
  const refusal = encodingRefusal(headers) ?? typeRefusal(headers) ?? lengthRefusal(declared ?? 0);
  if (refusal === undefined) return decode(await receive(req));
  if (declared === null || declared <= MAX_DISCARDED_BYTES) await discard(req, 0);
  throw refusal;
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

function lengthRefusal(bytes: number) {
  if (bytes <= MAX_BODY_BYTES) return undefined;
  return new RequestError(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes`);
}

async function receive(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  await readWhile(req, (chunk) => {
    received += chunk.length;
    chunks.push(chunk);
    return received <= MAX_BODY_BYTES;
  });
  const refusal = lengthRefusal(received);
  if (refusal === undefined) return Buffer.concat(chunks);
  await discard(req, received);
  throw refusal;
}

/** Reads and drops the rest of the body, unless it is too long. */
async function discard(req: IncomingMessage, before: number): Promise<void> {
  let received = before;
  await readWhile(req, (chunk) => {
    received += chunk.length;
    return received <= MAX_DISCARDED_BYTES;
  });
}

/** Resolves at the end of the body, or when `take` returns false. */
function readWhile(req: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      req.pause();
      act();
    };
    const onData = (chunk: Buffer) => {
      if (!take(chunk)) settle(resolve);
    };
    const onEnd = () => settle(resolve);
    // Nobody reads the answer, but the request has to end.
    const onGone = () =>
      settle(() =>
        reject(new RequestError(400, 'body_incomplete', 'The connection ended before the body did')),
      );
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    if (req.readableEnded) onEnd();
    else if (req.destroyed) onGone();
    else req.resume();
  });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // JSON is always UTF-8.
    throw new InvalidRequest([{ loc: ['body', 0], msg: 'JSON decode error', type: 'json_invalid' }]);
  }
}
