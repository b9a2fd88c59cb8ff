import type { Answer } from './answer.ts';

/** A body that is made for one call and not to be kept. */
export function plainAnswer(
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Answer {
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': contentType,
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
    },
    body,
  };
}
