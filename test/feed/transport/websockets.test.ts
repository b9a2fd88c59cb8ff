import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Holder, KeyLookup } from '../../../src/access/keys/key-lookup.ts';
import { FEED_RECORDS } from '../../../src/contract/feed/server-frames.ts';
import { checkedFetch } from '../../support/answer-check.ts';
import { eventually } from '../../support/eventually.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  lagOutput,
  NOON,
  postOutput,
  predictionOutput,
  priceOutput,
  signalsOutput,
  spotOutput,
  timeline,
  velocityOutput,
} from '../../support/outputs.ts';
import { textFrame, upgradeRequest } from '../../support/raw-websocket.ts';
import { type FeedServer, startFeed } from '../feed-server.ts';

const CRYPTO = eventOutput({
  eventId: 7,
  subject: { type: 'crypto', symbol: 'BTC', kind: 'UP_DOWN', referencePrice: null },
  buckets: [],
});
const LOADED = [
  eventOutput(),
  CRYPTO,
  countersOutput(),
  predictionOutput(),
  signalsOutput(),
  velocityOutput(),
  lagOutput(),
  spotOutput(),
  priceOutput({ eventId: 1, token: 'yes-1' }),
  ...timeline(20),
  freshnessOutput(FRESH_AGES),
];
const A = { account: 'account_a' };
const REST = {
  counters: '/api/v1/meta/account_a',
  tweets: '/api/v1/meta/account_a/tweets',
  prediction: '/api/v1/prediction/account_a',
  signals: '/api/v1/signals/account_a',
  crypto: '/api/v1/meta/crypto',
  lag: '/api/v1/meta/account_a/lag',
} as const;

describe('the feed', () => {
  let server: FeedServer;
  beforeEach(async () => {
    server = await startFeed({ loaded: LOADED });
  });
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.failures, []);
  });

  async function subscribed(key: string | undefined, channels: readonly object[]) {
    const client = await server.connect(key);
    client.send({ op: 'subscribe', id: 1, channels });
    await client.next('subscribed');
    return client;
  }

  describe('subscribe', () => {
    it('acknowledges, then sends the records of REST in the tier of the caller', async () => {
      for (const key of [undefined, 'demo_pro']) {
        for (const [channel, path] of Object.entries(REST)) {
          if (channel === 'signals' && key === undefined) continue;
          const where = channel === 'crypto' ? { channel } : { channel, ...A };
          const client = await subscribed(key, [where]);
          const { data, account, seq } = await client.next('snapshot');
          const headers = key === undefined ? {} : { 'X-API-Key': key };
          const rest = await (await checkedFetch(server.url + path, { headers })).json();
          assert.deepEqual(data, Object(rest).data, channel);
          assert.equal(account, channel === 'crypto' ? null : 'account_a');
          assert.deepEqual((await client.next('subscribed')).channels, [
            { channel, account, seq, resumed: false },
          ]);
          await client.close();
        }
      }
    });

    it('says in a snapshot when the events are not all known, so that none does not mean none', async () => {
      const snapshotOf = async (channel: object) => {
        const client = await subscribed('demo_pro', [channel]);
        return client.next('snapshot');
      };
      const B = { account: 'account_b' };
      const known = await snapshotOf({ channel: 'counters', ...B });
      assert.deepEqual([known.data, 'events_known' in known], [[], false]);
      await server.turn(freshnessOutput({}, {}, { listedAt: { posts: null, crypto: null } }));
      for (const channel of ['counters', 'prediction', 'signals']) {
        const unknown = await snapshotOf({ channel, ...B });
        assert.deepEqual([unknown.data, unknown.events_known], [[], false], channel);
      }
      // What is known is sent, and lag is not about events.
      const part = await snapshotOf({ channel: 'counters', ...A });
      assert.deepEqual([part.data.length, part.events_known], [1, false]);
      assert.ok(!('events_known' in (await snapshotOf({ channel: 'lag', ...B }))));
    });

    it('means all accounts when none is named', async () => {
      const client = await subscribed(undefined, [{ channel: 'counters' }, { channel: 'test' }]);
      await client.next('snapshot', 2);
      const { channels } = await client.next('subscribed');
      assert.deepEqual(
        channels.map(({ channel, account }) => `${channel} ${account}`),
        ['counters account_a', 'counters account_b', 'test null'],
      );
    });

    it('sends what changes, numbered without gaps, with its cause', async () => {
      const client = await subscribed(undefined, [{ channel: 'counters', ...A }]);
      const { seq } = await client.next('snapshot');
      await server.turn(countersOutput({ real: 14 }));
      await server.turn(countersOutput({ oracle: 11 }, { cause: 'oracle' }));
      await client.next('update', 1);
      const seen = client
        .updates()
        .map((frame) => [frame.seq, frame.prev_seq, frame.cause, frame.key, frame.data?.real_counter]);
      assert.deepEqual(seen, [
        [seq + 1, seq, ['new_post'], '1', 14],
        [seq + 2, seq + 1, ['oracle'], '1', 13],
      ]);
    });

    it('sends records that fit the schemas of their channels', async () => {
      const channels = Object.keys(FEED_RECORDS).map((channel) => ({ channel }));
      const client = await subscribed('demo_pro', channels);
      await server.tick();
      await server.turn(
        countersOutput({ real: 20 }),
        velocityOutput({ all1h: 9 }),
        lagOutput({ seen: { n: 41, p50: 1, p90: 2, p99: 3 } }),
        postOutput({ id: '900' }),
        signalsOutput({ p50: 99 }),
        spotOutput({ price: 1 }),
      );
      await server.tick();
      for (const [channel, schema] of Object.entries(FEED_RECORDS)) {
        await eventually(`an update of ${channel}`, () => client.updates(channel).length > 0);
        for (const { data } of client.updates(channel)) schema.parse(data);
      }
    });

    it('says that a record is gone when its event is no longer active', async () => {
      const client = await subscribed(undefined, [
        { channel: 'counters', ...A },
        { channel: 'prediction', ...A },
      ]);
      await server.tick();
      await server.turn(eventOutput({ phase: 'closed' }, { cause: 'event_closed' }));
      await server.tick();
      await eventually('both came', () => client.updates().filter(({ data }) => data === null).length === 2);
      const gone = client.updates().filter(({ data }) => data === null);
      assert.deepEqual(
        gone.map(({ channel, key, cause }) => [channel, key, cause]),
        [
          ['counters', '1', ['event_closed']],
          ['prediction', '1', ['event_closed']],
        ],
      );
      const late = await subscribed(undefined, [{ channel: 'counters', ...A }]);
      assert.deepEqual((await late.next('snapshot')).data, []);
    });

    it('sends fast channels once a second per event, with all causes since', async () => {
      const client = await subscribed(undefined, [{ channel: 'prediction', ...A }]);
      await server.tick();
      const before = client.updates().length;
      await server.tick();
      await server.turn(countersOutput({ real: 21 }));
      await client.next('update', before);
      for (const price of [0.1, 0.2, 0.3])
        await server.turn(priceOutput({ eventId: 1, token: 'yes-1', price }));
      await server.turn(countersOutput({ real: 22 }, { cause: 'oracle' }));
      await server.tick();
      await client.next('update', before + 1);
      await server.tick();
      const [first, second, ...more] = client.updates().slice(before);
      assert.deepEqual(more, []);
      assert.equal(first?.data?.real_counter, 21);
      assert.deepEqual(second?.cause, ['price', 'oracle']);
      assert.equal(second?.data?.real_counter, 22);
    });

    it('says when the account fell asleep or woke up, by the forecasts of each event', async () => {
      const client = await subscribed('demo_pro', [{ channel: 'prediction', ...A }]);
      await server.tick();
      const before = client.updates().length;
      const probabilities = [0.2, 0.4, 0.7, 0.9, 0.1];
      for (const [index, sleepProbability] of probabilities.entries()) {
        await server.turn(predictionOutput({ sleepProbability }, { cause: 'model' }));
        await server.tick();
        await client.next('update', before + index);
      }
      const updates = client.updates().slice(before);
      assert.deepEqual(
        updates.map(({ cause, data }) => [data?.sleep_probability, cause]),
        [
          [0.2, ['model']],
          [0.4, ['model']],
          [0.7, ['model', 'sleep_state']],
          [0.9, ['model']],
          [0.1, ['model', 'sleep_state']],
        ],
      );
    });

    it('sizes signals for the bankroll of each reader', async () => {
      const channels = (bankroll: number) => [{ channel: 'signals', ...A, bankroll }];
      const clients = [
        await subscribed('demo_pro', channels(500)),
        await subscribed('demo_pro', channels(100)),
      ];
      await server.turn(signalsOutput({ p50: 44 }));
      await server.tick();
      for (const [index, client] of clients.entries()) {
        const bankrolls = JSON.stringify([
          (await client.next('snapshot')).data,
          (await client.next('update')).data,
        ]);
        assert.deepEqual(
          [...new Set(bankrolls.match(/"bankroll":\d+/g))],
          [`"bankroll":${[500, 100][index]}`],
        );
      }
    });

    it('begins anew when it is sent again, and then sends each frame once', async () => {
      const channel = { channel: 'counters', ...A };
      const client = await subscribed(undefined, [channel]);
      const { epoch, seq = 0 } = await client.next('snapshot');
      client.send({ op: 'subscribe', channels: [channel] });
      await client.next('snapshot', 1);
      await server.turn(countersOutput({ real: 30 }));
      await server.tick();
      await client.next('update');
      client.send({ op: 'subscribe', channels: [{ ...channel, resume: { epoch, seq } }] });
      await client.next('update', 1);
      await server.turn(countersOutput({ real: 31 }));
      await server.tick();
      await client.next('update', 2);
      assert.deepEqual(
        client.updates('counters').map((update) => update.seq),
        [seq + 1, seq + 1, seq + 2],
      );
    });

    it('ends with unsubscribe', async () => {
      const client = await subscribed(undefined, [{ channel: 'counters', ...A }, { channel: 'test' }]);
      client.send({ op: 'unsubscribe', id: 'x', channels: [{ channel: 'counters', ...A }] });
      assert.deepEqual((await client.next('unsubscribed')).channels, [{ channel: 'counters', ...A }]);
      await server.turn(countersOutput({ real: 30 }));
      await server.tick();
      await eventually('the other goes on', () => client.updates('test').length > 0);
      assert.deepEqual(client.updates('counters'), []);
    });
  });

  it('sends the crypto records again when their spot prices become stale, and when they come again', async () => {
    const client = await subscribed(undefined, [{ channel: 'crypto' }]);
    await client.next('snapshot');
    const late = { ...FRESH_AGES, crypto: 60_001 };
    for (const [ages, stale] of [
      [late, ['crypto']],
      [late, ['crypto', 'posts:a']],
      [FRESH_AGES, []],
    ] as const) {
      await server.turn(freshnessOutput(ages, {}, { stale }));
    }
    await client.next('update', 1);
    assert.deepEqual(
      client.updates('crypto').map(({ cause, data }) => [cause, data?.stale]),
      [
        [['clock'], ['crypto']],
        [['clock'], []],
      ],
    );
  });

  describe('heartbeat', () => {
    it('of an account leaves out all other accounts', async () => {
      const client = await subscribed(undefined, [{ channel: 'heartbeat', ...A }]);
      await server.tick(FRESH_AGES, ['posts:b', 'oracle:a', 'prices']);
      const { account, seqs, ages_ms, stale, history_percent } = await client.next('heartbeat');
      assert.equal(account, 'account_a');
      assert.deepEqual(
        [...Object.keys(Object(seqs)), ...Object.keys(Object(ages_ms))].filter((name) =>
          /account_b/.test(name),
        ),
        [],
      );
      assert.ok('counters/account_a' in Object(seqs) && 'crypto' in Object(seqs));
      assert.ok('posts/account_a' in Object(ages_ms) && 'prices' in Object(ages_ms));
      assert.deepEqual(
        [stale, Object.keys(Object(history_percent))],
        [['oracle/account_a', 'prices'], ['account_a']],
      );
      client.send({ op: 'unsubscribe', channels: [{ channel: 'heartbeat', ...A }] });
      await client.next('unsubscribed');
    });

    it('comes with each tick, behind all it counts', async () => {
      const client = await subscribed(undefined, [{ channel: 'counters', ...A }, { channel: 'heartbeat' }]);
      await server.turn(countersOutput({ real: 31 }));
      await server.tick({ 'posts:a': 1_400, prices: 20 });
      const { seqs, ages_ms, ts, epoch } = await client.next('heartbeat');
      const last = client.updates('counters').at(-1);
      assert.equal(seqs['counters/account_a'], last?.seq);
      assert.deepEqual(ages_ms, { 'posts/account_a': 1_400, prices: 20 });
      assert.deepEqual([ts, epoch], [server.latest.at, server.feed.epoch]);
      assert.equal(client.frames.at(-1)?.type, 'heartbeat');
    });

    it('counts the channels of the tier alone, as that tier is sent them', async () => {
      const channels = [{ channel: 'prediction', ...A }, { channel: 'heartbeat' }];
      const free = await subscribed('demo_free', channels);
      const pro = await subscribed('demo_pro', channels);
      await server.turn(predictionOutput({ p50: 71 }), countersOutput({ real: 32 }));
      await server.tick();
      const beats = [await free.next('heartbeat'), await pro.next('heartbeat')];
      for (const [index, client] of [free, pro].entries()) {
        const last = client.updates('prediction').at(-1)?.seq;
        assert.ok(last !== undefined && beats[index]?.seqs['prediction/account_a'] === last);
      }
      const paid = (seqs: object) => Object.keys(seqs).filter((name) => /^(signals|velocity)/.test(name));
      assert.deepEqual(
        beats.map(({ seqs }) => paid(seqs).length),
        [0, 4],
      );
    });

    it('says what is stale, how much of the past was read and whether the events are known', async () => {
      const client = await subscribed(undefined, [{ channel: 'heartbeat' }]);
      await server.tick({ crypto: 400_000 });
      const quiet = await client.next('heartbeat');
      assert.deepEqual([quiet.stale, quiet.events_known], [[], true], 'age alone does not make it stale');
      const reading = countersOutput({ real: null, historyPercent: 40 });
      const fields = { stale: ['crypto', 'posts:b'], listedAt: { posts: null, crypto: null } };
      await server.turn(reading, freshnessOutput({}, {}, fields));
      const { stale, history_percent, events_known } = await client.next('heartbeat', 1);
      assert.deepEqual(stale, ['crypto', 'posts/account_b']);
      assert.deepEqual(quiet.history_percent, { account_a: 100, account_b: 100 });
      assert.deepEqual(history_percent, { account_a: 40, account_b: 0 });
      assert.equal(events_known, false);
    });

    it('is missing while nothing goes through the streams, and a pong says since when', async () => {
      const client = await subscribed(undefined, [{ channel: 'heartbeat' }]);
      await server.tick();
      await client.next('heartbeat');
      const stoppedAt = server.latest.at;
      server.clock.now += 5_000;
      client.send({ op: 'ping', id: 'p' });
      const { ts, pipeline_ts, id } = await client.next('pong');
      assert.deepEqual([ts - pipeline_ts, pipeline_ts, id], [5_000, stoppedAt, 'p']);
    });
  });

  describe('keys', () => {
    it('are taken in the first message too', async () => {
      const client = await server.connect();
      client.send({ op: 'auth', id: 1, key: 'demo_pro' });
      assert.equal((await client.next('authenticated')).tier, 'PRO');
      client.send({ op: 'subscribe', channels: [{ channel: 'tweets', ...A }] });
      assert.equal((await client.next('snapshot')).data[0]?.is_counted, false);
      client.send({ op: 'auth', id: 2, key: 'demo_pro' });
      assert.equal((await client.next('error')).code, 'auth_late');
    });

    it('that nobody knows are refused with 4001, in a header and in a message', async () => {
      const client = await server.connect('nobody');
      assert.equal(await client.closed(), 4001);
      assert.equal((await client.next('error')).code, 'key_invalid');
      const other = await server.connect();
      other.send({ op: 'auth', key: 'nobody' });
      assert.equal(await other.closed(), 4001);
    });

    it('of a low tier see neither signals nor velocity, and are closed with 4003', async () => {
      for (const channel of ['signals', 'velocity']) {
        const client = await server.connect('demo_free');
        client.send({ op: 'subscribe', id: 4, channels: [{ channel, ...A }] });
        assert.equal(await client.closed(), 4003);
        assert.deepEqual(
          client.frames.map((frame) => [frame.type, 'code' in frame && frame.code]),
          [['error', 'tier_too_low']],
        );
      }
    });

    it('name each channel of a message that is not for the tier', async () => {
      const client = await server.connect('demo_free');
      const channels = [{ channel: 'test' }, { channel: 'signals' }, { channel: 'velocity', ...A }];
      client.send({ op: 'subscribe', id: 4, channels });
      assert.equal(await client.closed(), 4003);
      assert.deepEqual(
        client.frames.map((frame) => frame.type === 'error' && [frame.id, frame.channel, frame.account]),
        [
          [4, 'signals', 'account_a'],
          [4, 'signals', 'account_b'],
          [4, 'velocity', 'account_a'],
        ],
      );
    });

    it('show FREE no field of PRO', async () => {
      const free = await subscribed('demo_free', [
        { channel: 'prediction', ...A },
        { channel: 'tweets', ...A },
      ]);
      await server.turn(postOutput({ id: '901' }), countersOutput({ real: 40 }));
      await server.tick();
      await eventually(
        'both came',
        () => free.updates('prediction').length > 0 && free.updates('tweets').length > 0,
      );
      assert.equal(free.updates('tweets').at(-1)?.data?.is_counted, null);
      assert.doesNotMatch(free.texts.join(), /forecast|model_prob|"edge"|velocity|distribution/);
    });
  });

  describe('a FREE reader', () => {
    const channels = [
      { channel: 'prediction', ...A },
      { channel: 'tweets', ...A },
    ];

    it('gets no frame of what only PRO can see, no cause of it, and no gap where it was', async () => {
      await server.turn(postOutput({ id: '902' }));
      const free = await subscribed('demo_free', channels);
      const pro = await subscribed('demo_pro', channels);
      await server.turn(
        predictionOutput({ p50: 72, sleepProbability: 0.1 }, { cause: 'model' }),
        signalsOutput({}, { cause: 'model' }),
        velocityOutput({ counted1h: 9 }, { cause: 'clock' }),
        postOutput({ id: '902', oracleAt: NOON }, { cause: 'oracle' }),
        postOutput({ id: '902', oracleAt: NOON, isCounted: false }, { cause: 'post_edited' }),
      );
      await server.tick();
      await eventually('PRO has both', () => pro.updates('tweets').length === 2);
      await eventually('PRO has both', () => pro.updates('prediction').length > 0);
      await server.turn(
        predictionOutput({ p50: 73, sleepProbability: 0.9 }, { cause: 'model' }),
        countersOutput({ real: 41 }, { cause: 'new_post' }),
        postOutput({ id: '902', deletedAt: NOON }, { cause: 'post_deleted' }),
      );
      await server.tick();
      await eventually('FREE has both', () => free.updates().length === 2);
      const seen = free.updates().map(({ cause, prev_seq, seq }) => [cause, seq - prev_seq]);
      assert.deepEqual(seen, [
        [['post_deleted'], 1],
        [['new_post'], 1],
      ]);
      const snapshots = free.frames.filter(({ type }) => type === 'snapshot');
      const cursors = snapshots.map((frame) => 'seq' in frame && frame.seq).sort();
      assert.deepEqual(
        free
          .updates()
          .map(({ prev_seq }) => prev_seq)
          .sort(),
        cursors,
      );
      const resumed = await server.connect('demo_free');
      resumed.send({
        op: 'subscribe',
        channels: snapshots.map((frame) => ({
          channel: 'channel' in frame && frame.channel,
          ...A,
          resume: { epoch: server.feed.epoch, seq: 'seq' in frame && frame.seq },
        })),
      });
      await eventually('the same again', () => resumed.updates().length === 2);
      const byChannel = (frames: readonly { readonly channel: string }[]) =>
        [...frames].sort((a, b) => a.channel.localeCompare(b.channel));
      assert.deepEqual(byChannel(resumed.updates()), byChannel(free.updates()));
    });

    it('that was PRO before, or is PRO from now on, is sent a snapshot instead of frames of other numbers', async () => {
      for (const [before, after] of [
        ['demo_pro', 'demo_free'],
        ['demo_free', 'demo_pro'],
      ] as const) {
        const first = await subscribed(before, channels);
        await server.turn(countersOutput({ real: 50 }), postOutput({ id: '903' }));
        await server.tick();
        await eventually('frames', () => first.updates().length === 2);
        const second = await server.connect(after);
        second.send({
          op: 'subscribe',
          channels: first.updates().map(({ channel, seq }) => ({
            channel,
            ...A,
            resume: { epoch: server.feed.epoch, seq },
          })),
        });
        await second.next('snapshot', 1);
        assert.deepEqual(
          second.frames.flatMap((frame) => (frame.type === 'error' ? [frame.code] : [])),
          ['cursor_too_old', 'cursor_too_old'],
        );
        await server.turn(countersOutput({ real: 51 }), postOutput({ id: '903', deletedAt: NOON }));
        await server.tick();
      }
    });
  });

  describe('a reader that sends nonsense', () => {
    it('gets an error that says what is wrong, and is disconnected if it continues', async () => {
      const client = await subscribed(undefined, [{ channel: 'test' }]);
      const nonsense = ['{', '[]', '{"op":"fly"}', '{"op":"subscribe","channels":[]}', 'null', '"x"'];
      for (const text of nonsense) client.send(text);
      assert.equal(await client.closed(), 1008);
      const codes = client.frames.flatMap((frame) => (frame.type === 'error' ? [frame.code] : []));
      assert.deepEqual(codes, new Array(6).fill('message_malformed'));
    });

    it('is answered about accounts that do not exist and cursors that name none', async () => {
      const client = await server.connect();
      const resume = { epoch: server.feed.epoch, seq: 1 };
      client.send({ op: 'subscribe', id: 5, channels: [{ channel: 'counters', account: 'account_c' }] });
      client.send({ op: 'subscribe', id: 6, channels: [{ channel: 'counters', resume }] });
      client.send({ op: 'subscribe', id: 7, channels: [{ channel: 'crypto', ...A }] });
      await client.next('error', 2);
      const errors = client.frames.flatMap((frame) =>
        frame.type === 'error' ? [[frame.id, frame.code]] : [],
      );
      assert.deepEqual(errors, [
        [5, 'account_unknown'],
        [6, 'cursor_vague'],
        [7, 'account_unknown'],
      ]);
    });

    it('is closed for messages that are too long or too many', async () => {
      const long = await subscribed(undefined, [{ channel: 'test' }]);
      long.send({ op: 'ping', id: 'x'.repeat(5_000) });
      assert.equal(await long.closed(), 1009);
      const many = await subscribed(undefined, [{ channel: 'test' }]);
      for (let index = 0; index < 15; index++) many.send({ op: 'ping', id: index });
      assert.equal(await many.closed(), 4029);
    });
  });

  it('writes nothing behind a close frame, though the peer keeps the connection open', async () => {
    const socket = connectTcp(Number(new URL(server.url).port), '127.0.0.1');
    const ended = once(socket, 'close');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
    const opcodes = () => opcodesOf(Buffer.concat(parts));
    socket.write(upgradeRequest('/api/v1/feed'));
    socket.write(textFrame(JSON.stringify({ op: 'subscribe', channels: [{ channel: 'test' }] })));
    await eventually('the snapshot', () => opcodes().length === 2);
    await server.tick();
    await eventually('an update', () => opcodes().length === 3);
    socket.write(textFrame(JSON.stringify({ op: 'subscribe', channels: [{ channel: 'signals', ...A }] })));
    await eventually('the close frame', () => opcodes().includes(CLOSE));
    for (let seconds = 0; seconds < 3; seconds++) await server.tick();
    await ended;
    assert.deepEqual(opcodes(), [TEXT, TEXT, TEXT, TEXT, CLOSE]);
  });

  it('says goodbye before it stops', async () => {
    const clients = [await subscribed(undefined, [{ channel: 'test' }]), await server.connect()];
    await server.stop();
    const codes = await Promise.all(clients.map((client) => client.closed()));
    assert.deepEqual(codes, [1001, 1001]);
    for (const client of clients) assert.equal(client.frames.at(-1)?.type, 'goodbye');
  });

  it('answers a plain request what to ask for', async () => {
    const response = await checkedFetch(`${server.url}/api/v1/feed`);
    assert.equal(response.status, 426);
    assert.equal(response.headers.get('upgrade'), 'websocket');
    assert.equal(Object(await response.json()).code, 'upgrade_required');
  });
});

const TEXT = 1;
const CLOSE = 8;

/** The opcodes of all frames behind the head of the answer. */
function opcodesOf(bytes: Buffer): readonly number[] {
  const opcodes: number[] = [];
  const headEnd = bytes.indexOf('\r\n\r\n');
  let place = headEnd < 0 ? bytes.length : headEnd + 4;
  while (place + 2 <= bytes.length) {
    const short = bytes.readUInt8(place + 1);
    const headLength = short < 126 ? 2 : 4;
    if (place + headLength > bytes.length) break;
    const length = short < 126 ? short : bytes.readUInt16BE(place + 2);
    opcodes.push(bytes.readUInt8(place) & 0x0f);
    place += headLength + length;
  }
  return opcodes;
}

describe('the limits of the feed', () => {
  const open = async (options: Parameters<typeof startFeed>[0]) => startFeed({ loaded: LOADED, ...options });
  const refusal = (server: FeedServer, key?: string) =>
    server.connect(key).then(
      () => 'let in',
      (error: unknown) => String(error),
    );

  it('hold per address, in all, per minute and per key', async () => {
    for (const [limits, status] of [
      [{ perAddress: 2 }, '429'],
      [{ connections: 2 }, '503'],
      [{ connectsPerMinute: 2 }, '429'],
    ] as const) {
      const server = await open({ limits });
      const [first] = [await server.connect(), await server.connect()];
      assert.match(await refusal(server), new RegExp(status));
      if ('perAddress' in limits) {
        await first.close();
        await eventually('the place is free', async () => (await refusal(server)) === 'let in');
      }
      await server.stop();
    }
    const server = await open({ limits: { perKey: 1 } });
    await server.connect('demo_pro');
    const second = await server.connect('demo_pro');
    assert.equal(await second.closed(), 4029);
    await server.stop();
  });

  it('end a connection that subscribes to nothing', async () => {
    const server = await open({ times: { subscribeMs: 20, sweepMs: 5 } });
    const client = await server.connect();
    assert.equal(await client.closed(), 1008);
    await server.stop();
  });

  it('end a connection that answers no ping', async () => {
    const server = await open({ times: { pingMs: 20, sweepMs: 5 } });
    const client = await server.connect();
    client.send({ op: 'subscribe', channels: [{ channel: 'test' }] });
    await client.next('snapshot');
    client.ws.pause();
    await eventually('it is gone', () => server.feed.figures().connections === 0);
    client.ws.terminate();
    await server.stop();
  });

  it('end a connection whose key was revoked', async () => {
    const holder: Holder = { id: 'k1', tier: 'PRO', limit: null, lastUsedAt: null };
    const valid = new Map([['secret', holder]]);
    const keys: KeyLookup = { find: (key) => valid.get(key) };
    const server = await open({ keys, times: { checkKeyMs: 10, sweepMs: 5 } });
    const client = await server.connect('secret');
    client.send({ op: 'subscribe', channels: [{ channel: 'signals', ...A }] });
    await client.next('snapshot');
    valid.clear();
    assert.equal(await client.closed(), 4001);
    await server.stop();
  });

  it('go on being checked after the check of one failed, which is ended', async () => {
    const holder: Holder = { id: 'k1', tier: 'PRO', limit: null, lastUsedAt: null };
    const valid = new Map([
      ['first', holder],
      ['second', { ...holder, id: 'k2' }],
    ]);
    let isFailing = false;
    const keys: KeyLookup = {
      find(key) {
        if (isFailing && key === 'first') throw new TypeError('a bug of the keys');
        return valid.get(key);
      },
    };
    const server = await open({ keys, times: { checkKeyMs: 10, sweepMs: 5 } });
    const [first, second] = [await server.connect('first'), await server.connect('second')];
    for (const client of [first, second]) {
      client.send({ op: 'subscribe', channels: [{ channel: 'signals', ...A }] });
      await client.next('snapshot');
    }
    isFailing = true;
    assert.equal(await first.closed(), 1011);
    valid.clear();
    assert.equal(await second.closed(), 4001);
    assert.match(String(server.failures[0]), /a bug of the keys/);
    await server.stop();
  });

  it('end a connection that is sent more than its key allows now, and no other', async () => {
    const holder: Holder = { id: 'k1', tier: 'PRO', limit: null, lastUsedAt: null };
    const valid = new Map([['secret', holder]]);
    const keys: KeyLookup = { find: (key) => valid.get(key) };
    const server = await open({ keys, times: { checkKeyMs: 10, sweepMs: 5 } });
    const [forecasts, counters] = [await server.connect('secret'), await server.connect('secret')];
    forecasts.send({ op: 'subscribe', channels: [{ channel: 'prediction', ...A }] });
    counters.send({ op: 'subscribe', channels: [{ channel: 'counters', ...A }] });
    await Promise.all([forecasts.next('snapshot'), counters.next('snapshot')]);
    valid.set('secret', { ...holder, tier: 'FREE' });
    assert.equal(await forecasts.closed(), 4003);
    counters.send({ op: 'ping' });
    await counters.next('pong');
    await eventually('one is left', () => server.feed.figures().connections === 1);
    await server.stop();
  });

  it('count what happens', async () => {
    const server = await open({});
    const client = await server.connect();
    client.send({ op: 'subscribe', channels: [{ channel: 'test' }] });
    await client.next('snapshot');
    await server.tick();
    await client.next('update');
    const { connections, sent } = server.feed.figures();
    assert.equal(connections, 1);
    assert.ok(sent >= 2);
    await client.close();
    await eventually('it is counted', () => server.feed.figures().closed.get(1005) === 1);
    await server.stop();
  });
});
