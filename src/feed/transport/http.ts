import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import type { Answer } from '../../server/answer.ts';
import { internalError, refusal } from '../../server/error-answer.ts';

export const FEED_PATH = `${API_PREFIX}/feed`;

export function isFeed({ url = '' }: IncomingMessage): boolean {
  return url === FEED_PATH || url.startsWith(`${FEED_PATH}?`);
}

/** What a failed request is answered; what is no fault of the caller's is reported. */
export function answerTo(error: unknown, report: (error: unknown) => void): Answer {
  const refused = refusal(error);
  if (refused === undefined) report(error);
  return refused ?? internalError();
}

/** Answers a request for an upgrade that is not granted, and lets the connection go. */
export function refuseUpgrade(socket: Duplex, { status, headers, body }: Answer): void {
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n');
  // Destroyed once flushed: a peer that goes on sending must not hold the socket half open.
  socket.end(head + body, () => socket.destroy());
}
