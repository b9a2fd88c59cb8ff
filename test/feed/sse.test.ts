import assert from 'node:assert/strict';
import { get } from 'node:http';
import { serverFrame } from '../../src/contract/feed.ts';
import { checkedFetch } from '../support/answer-check.ts';
import { eventually } from '../support/eventually.ts';
import { countersOutput, eventOutput, postOutput } from '../support/outputs.ts';
import type { ServerFrame } from './feed-client.ts';
import { type FeedServer, startFeed } from './feed-server.ts';

interface StreamEvent {
  readonly id: string | undefined;
  readonly frame: ServerFrame;
}

/** Reads an event stream as a browser does. */
function listen(url: string, headers: Readonly<Record<string, string>> = {}) {
  const events: StreamEvent[] = [];
  let text = '';
  let hasEnded = false;
  const request = get(url, { headers: { Accept: 'text/event-stream', ...headers } }, (response) => {
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
    response.on('end', () => {
      hasEnded = true;
    });
  });
  request.on('error', () => undefined);
  return {
    events,
    updates: () => events.flatMap(({ frame }) => (frame.type === 'update' ? [frame] : [])),
    hasEnded: () => hasEnded,
    close: () => request.destroy(),
  };
}

describe('the feed as an event stream', () => {
  let server: FeedServer;
  const url = (channels: string) => `${server.url}/api/v1/feed?channels=${channels}`;
  beforeEach(async () => {
    server = await startFeed({ loaded: [eventOutput(), countersOutput()] });
  });
  afterEach(() => server.stop());

  it('sends snapshots, updates and heartbeats of the channels in the address', async () => {
    const stream = listen(url('counters/account_a,heartbeat'));
    await eventually('the snapshot', () => stream.events.length === 2);
    await server.turn(countersOutput({ real: 50 }));
    await server.tick();
    await eventually('the heartbeat', () => stream.events.length === 4);
    assert.deepEqual(
      stream.events.map(({ frame }) => frame.type),
      ['subscribed', 'snapshot', 'update', 'heartbeat'],
    );
    stream.close();
  });

  it('goes on from the last id in every channel, without a gap or a repetition', async () => {
    const stream = listen(url('counters/account_a,tweets/account_a'));
    await eventually('the snapshots', () => stream.events.length === 3);
    await server.turn(countersOutput({ real: 51 }), postOutput({ id: '1' }));
    await eventually('both came', () => stream.updates().length === 2);
    const id = stream.events.at(-1)?.id ?? '';
    stream.close();
    await server.turn(postOutput({ id: '2' }), countersOutput({ real: 52 }), postOutput({ id: '3' }));
    const again = listen(url('counters/account_a,tweets/account_a'), { 'Last-Event-ID': id });
    await eventually('what was missed', () => again.updates().length === 3);
    await server.turn(postOutput({ id: '4' }));
    await eventually('what is new', () => again.updates().length === 4);
    assert.deepEqual(
      again.updates().map(({ channel, prev_seq, key }) => [channel, prev_seq, key]),
      [
        ['counters', 2, '1'],
        ['tweets', 1, '2'],
        ['tweets', 2, '3'],
        ['tweets', 3, '4'],
      ],
    );
    again.close();
  });

  it('ends with a goodbye', async () => {
    const stream = listen(url('test'));
    await eventually('the snapshot', () => stream.events.length === 2);
    await server.stop();
    await eventually('the end', stream.hasEnded);
    assert.equal(stream.events.at(-1)?.frame.type, 'goodbye');
  });

  it('answers what cannot be like any other request', async () => {
    const ask = async (channels: string, headers: Record<string, string> = {}) => {
      const response = await checkedFetch(url(channels), {
        headers: { Accept: 'text/event-stream', ...headers },
      });
      const body = Object(await response.json());
      return [response.status, body.code];
    };
    assert.deepEqual(await ask('prices'), [400, 'channel_unknown']);
    assert.deepEqual(await ask('counters/account_c'), [400, 'account_unknown']);
    assert.deepEqual(await ask('signals'), [401, 'tier_too_low']);
    assert.deepEqual(await ask('test', { 'X-API-Key': 'nobody' }), [401, 'key_invalid']);
    assert.deepEqual(await ask(''), [422, undefined]);
    assert.equal(server.feed.figures().connections, 0);
  });
});
