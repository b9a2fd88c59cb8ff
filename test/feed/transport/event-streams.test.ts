import assert from 'node:assert/strict';
import type { Holder, KeyLookup } from '../../../src/access/keys/key-lookup.ts';
import { accountPath } from '../../support/accounts.ts';
import { checkedFetch } from '../../support/answer-check.ts';
import { eventually } from '../../support/eventually.ts';
import { countersOutput, eventOutput, postOutput } from '../../support/outputs.ts';
import { listen } from '../event-stream.ts';
import { type FeedServer, startFeed } from '../feed-server.ts';

/** What FREE readers see otherwise than PRO has numbers after this one. */
const FREE_CURSOR = 1_000_000_000_000;

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

  it('continues from the last id in every channel, without a gap or a repetition', async () => {
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
        ['tweets', FREE_CURSOR + 1, '2'],
        ['tweets', FREE_CURSOR + 2, '3'],
        ['tweets', FREE_CURSOR + 3, '4'],
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
    // A stream is never about the past.
    assert.deepEqual(await ask('test&as_of=1'), [422, undefined]);
    assert.equal(server.feed.figures().connections, 0);
  });

  it('has no more channels than the id of an event can name', async () => {
    const like = accountPath('a');
    const accounts = Array.from({ length: 301 }, (_, n) => ({
      ...like,
      id: `x${n}`,
      segment: `account_x${n}`,
    }));
    const many = await startFeed({ accounts });
    try {
      const ask = (channels: string) =>
        checkedFetch(`${many.url}/api/v1/feed?channels=${channels}`, {
          headers: { Accept: 'text/event-stream' },
        });
      const refused = await ask('counters');
      assert.deepEqual([refused.status, Object(await refused.json()).code], [400, 'too_many_channels']);
      const stream = await listen(
        `${many.url}/api/v1/feed?channels=counters/account_x0,counters/account_x300`,
      );
      await eventually('both channels', () => stream.events.length > 0);
      assert.equal(stream.events[0]?.frame.type, 'subscribed');
      stream.close();
    } finally {
      await many.stop();
    }
  });

  describe('to a reader that does not read', () => {
    const LONG_TEXT = 'x'.repeat(40_000);
    const codes = () => server.feed.figures().closed;

    it('sends the newest of every event once it reads again, and holds little until then', async () => {
      for (const eventId of [1, 2]) await server.turn(eventOutput({ eventId, title: LONG_TEXT }));
      const slow = listen(url('counters/account_a'));
      const quick = listen(url('counters/account_a'));
      await eventually('both are there', () => slow.events.length > 1 && quick.events.length > 1);
      slow.pause();
      for (let real = 1; real <= 200; real++) {
        const seen = quick.updates().length;
        await server.turn(...[1, 2].map((eventId) => countersOutput({ eventId, real })));
        await eventually('the other keeps up', () => quick.updates().length === seen + 2);
      }
      const { unsentBytes } = server.feed.figures();
      // A frame is 40 KB; all of them are 16 MB.
      assert.ok(unsentBytes > 0 && unsentBytes < 250_000, String(unsentBytes));
      slow.resume();
      const last = quick.updates().at(-1)?.seq;
      await eventually('it is up to date', () => slow.updates().at(-1)?.seq === last);
      const frames = slow.updates();
      for (const [index, { seq, prev_seq, merged = 0 }] of frames.entries()) {
        if (index > 0) assert.equal(prev_seq, frames[index - 1]?.seq);
        assert.equal(merged, seq - prev_seq - 1);
      }
      assert.ok(frames.some(({ merged = 0 }) => merged > 0));
      const ends = ['1', '2'].map((key) => frames.findLast((frame) => frame.key === key)?.data?.real_counter);
      assert.deepEqual(ends, [200, 200]);
      slow.close();
      quick.close();
    });

    it('ends, of posts, when it is more than 1 MiB behind, and can be resumed from its last id', async () => {
      await server.stop();
      // Enough to read the end, however slow this machine is.
      server = await startFeed({ times: { closeMs: 60_000 } });
      const slow = listen(url('tweets/account_a'));
      await eventually('it is there', () => slow.events.length === 2);
      slow.pause();
      let total = 0;
      while (total < 1_000 && !codes().has(4008)) {
        total += 1;
        await server.turn(postOutput({ id: String(total), text: LONG_TEXT }));
      }
      assert.ok(server.feed.figures().unsentBytes < 250_000);
      slow.resume();
      await eventually('it ends', slow.hasEnded);
      const end = slow.events.at(-1)?.frame;
      assert.equal(end?.type === 'error' && end.code, 'too_slow');
      const id = slow.events.findLast((event) => event.id !== undefined)?.id ?? '';
      const again = listen(url('tweets/account_a'), { 'Last-Event-ID': id });
      await eventually('it has the rest', () => slow.updates().length + again.updates().length >= total);
      assert.deepEqual(
        [...slow.updates(), ...again.updates()].map(({ key }) => Number(key)),
        Array.from({ length: total }, (_, index) => index + 1),
      );
      assert.deepEqual([...codes()], [[4008, 1]]);
      again.close();
    });

    it('destroys the connection when not even the end is read', async () => {
      const slow = listen(url('tweets/account_a'));
      await eventually('it is there', () => slow.events.length === 2);
      slow.pause();
      for (let id = 1; id <= 300; id++) await server.turn(postOutput({ id: String(id), text: LONG_TEXT }));
      await eventually('it is gone', () => server.feed.figures().connections === 0);
      assert.deepEqual([...codes()], [[4008, 1]]);
      slow.close();
    });
  });
});

describe('an event stream whose key changes', () => {
  const holder: Holder = { id: 'k1', tier: 'PRO', limit: null, lastUsedAt: null };

  async function endAfter(
    change: (valid: Map<string, Holder>) => void,
    find: (valid: Map<string, Holder>, key: string) => Holder | undefined = (valid, key) => valid.get(key),
  ): Promise<readonly unknown[]> {
    const valid = new Map([['secret', holder]]);
    const keys: KeyLookup = { find: (key) => find(valid, key) };
    const server = await startFeed({ keys, times: { checkKeyMs: 10 } });
    const stream = listen(`${server.url}/api/v1/feed?channels=signals/account_a`, { 'X-API-Key': 'secret' });
    await eventually('it is there', () => stream.events.length === 2);
    change(valid);
    await eventually('it ends', stream.hasEnded);
    const { frame } = stream.events.at(-1) ?? {};
    await eventually('its place is free', () => server.feed.figures().connections === 0);
    const found = [frame?.type === 'error' && frame.code, ...server.feed.figures().closed.keys()];
    await server.stop();
    return found;
  }

  it('ends once the key is revoked, and says so', async () => {
    assert.deepEqual(await endAfter((valid) => valid.clear()), ['key_invalid', 4001]);
  });

  it('ends when its key cannot be checked, which ends nothing else', async () => {
    const found = await endAfter(
      (valid) => valid.clear(),
      (valid, key) => {
        if (valid.size === 0) throw new TypeError('a bug of the keys');
        return valid.get(key);
      },
    );
    assert.deepEqual(found, ['internal', 1011]);
  });

  it('ends once the key has a lower tier, and says so', async () => {
    const found = await endAfter((valid) => valid.set('secret', { ...holder, tier: 'FREE' }));
    assert.deepEqual(found, ['tier_too_low', 4003]);
  });
});
