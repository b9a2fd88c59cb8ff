import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { serverFrame } from '../../src/contract/feed/server-frames.ts';
import type { ServerFrame, Update } from './feed-client.ts';

interface StreamEvent {
  readonly id: string | undefined;
  readonly frame: ServerFrame;
}

export interface EventStream {
  readonly events: readonly StreamEvent[];
  updates(): readonly Update[];
  hasEnded(): boolean;
  /** Reads nothing until it is resumed. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Reads an event stream as a browser does. */
export function listen(url: string, headers: Readonly<Record<string, string>> = {}): EventStream {
  const events: StreamEvent[] = [];
  let text = '';
  let hasEnded = false;
  let answer: IncomingMessage | undefined;
  const request = get(url, { headers: { Accept: 'text/event-stream', ...headers } }, (response) => {
    answer = response;
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8');
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const field = (name: string) =>
          part
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined) events.push({ id: field('id'), frame: serverFrame.parse(JSON.parse(data)) });
      }
    });
    const end = () => {
      hasEnded = true;
    };
    response.on('end', end).on('error', end);
  });
  request.on('error', () => undefined);
  return {
    events,
    updates: () => events.flatMap(({ frame }) => (frame.type === 'update' ? [frame] : [])),
    hasEnded: () => hasEnded,
    pause: () => void answer?.pause(),
    resume: () => void answer?.resume(),
    close: () => request.destroy(),
  };
}
