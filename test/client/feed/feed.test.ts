import assert from 'node:assert/strict';
import { firstValueFrom, merge, type Observable, take, toArray } from 'rxjs';
import { type Client, createClient, type DataFrame, type FeedStatus } from '../../../src/client/node.ts';
import { type FeedServer, startFeed } from '../../feed/feed-server.ts';
import { eventually } from '../../support/eventually.ts';
import { countersOutput, eventOutput, postOutput, signalsOutput } from '../../support/outputs.ts';
import { openScriptedServer } from '../../support/scripted-server.ts';
import { openCuttingProxy } from '../../sweeps/cutting-proxy.ts';

const QUICK = { reconnect: { minMs: 5, maxMs: 20 } };
const PATIENCE_MS = 60_000;

function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(what, holds);
}

/** The server of these tests ticks by hand: how soon a silent connection is stale depends on the machine. */
const isNotStale = (state: string) => state !== 'stale';

describe('the feed of the client', function () {
  this.timeout(4 * PATIENCE_MS);
  let server: FeedServer;
  let free: Client;
  let pro: Client;
  before(async () => {
    server = await startFeed();
    await server.turn(eventOutput({ eventId: 7 }), countersOutput({ eventId: 7, real: 3 }));
    await server.tick();
    free = createClient({ url: server.url });
    pro = createClient({ url: server.url, key: 'demo_pro' });
  });
  after(() => server.stop());

  const connections = () => server.feed.figures().connections;
  const isIdle = () => until('nobody is connected', () => connections() === 0);

  it('starts with a snapshot, in the tier of the key', async () => {
    const feed = pro.feed();
    const frame = await firstValueFrom(feed.counters('account_a'));
    assert.ok(frame.type === 'snapshot');
    assert.equal(frame.data[0]?.event_id, 7);
    assert.equal((await firstValueFrom(feed.signals('account_a', { bankroll: 50 }))).channel, 'signals');
    await isIdle();
  });

  it('shares one socket, and closes it after the last follower', async () => {
    const feed = pro.feed();
    const followed = [feed.counters().subscribe(), feed.tweets().subscribe(), feed.test().subscribe()];
    let status: FeedStatus | undefined;
    feed.status$.subscribe((each) => {
      status = each;
    });
    await until('it is live', () => status?.state === 'live');
    assert.equal(connections(), 1);
    for (const subscription of followed) subscription.unsubscribe();
    assert.deepEqual(status, { state: 'down', reason: 'idle' });
    await isIdle();
  });

  it('gives a later follower a snapshot with all changes so far', async () => {
    const feed = pro.feed();
    const seen: DataFrame<'tweets'>[] = [];
    const followed = feed.tweets('account_a').subscribe((frame) => seen.push(frame));
    await until('the snapshot is there', () => seen.length === 1);
    await server.turn(postOutput({ id: '41', account: 'a' }));
    await until('the post is seen', () => seen.length === 2);
    const late = await firstValueFrom(feed.tweets('account_a'));
    assert.ok(late.type === 'snapshot');
    assert.equal(late.data[0]?.tweet_id, '41');
    assert.equal(late.seq, seen[1]?.seq);
    assert.equal(connections(), 1);
    followed.unsubscribe();
    await isIdle();
  });

  it('follows a channel with two requests over two sockets, and closes each by itself', async () => {
    const feed = pro.feed();
    const bankrolls = (bankroll: number) => {
      const seen: (number | undefined)[] = [];
      const followed = feed.signals('account_a', { bankroll }).subscribe((frame) => {
        if (frame.type === 'update') seen.push(frame.data?.signals[0]?.bankroll);
      });
      return { seen, followed };
    };
    let status: FeedStatus | undefined;
    feed.status$.subscribe((each) => {
      status = each;
    });
    const [small, large, same] = [bankrolls(100), bankrolls(200), bankrolls(100)];
    const other = feed.test().subscribe();
    await until('all are live', () => status?.state === 'live' && connections() === 2);
    await server.turn(signalsOutput({ eventId: 7 }));
    await server.tick();
    await until('all have an update', () => [small, large, same].every(({ seen }) => seen.length > 0));
    assert.deepEqual([small.seen[0], large.seen[0], same.seen[0]], [100, 200, 100]);
    const states: string[] = [];
    feed.status$.subscribe(({ state }) => states.push(state));
    large.followed.unsubscribe();
    await until('one is enough', () => connections() === 1);
    assert.deepEqual(states.filter(isNotStale), ['live']);
    for (const followed of [small.followed, same.followed, other]) followed.unsubscribe();
    assert.deepEqual(status, { state: 'down', reason: 'idle' });
    await isIdle();
  });

  it('resumes from a cursor while others follow the same channel', async () => {
    const feed = pro.feed();
    const seen: DataFrame<'test'>[] = [];
    const followed = feed.test().subscribe((frame) => seen.push(frame));
    await until('it has begun', () => seen.length === 1);
    for (let second = 0; second < 3; second++) await server.tick();
    await until('three seconds', () => seen.length === 4);
    const [{ epoch, seq } = { epoch: '', seq: 0 }] = seen;
    const again = await firstValueFrom(feed.test({ resume: { epoch, seq } }).pipe(take(3), toArray()));
    assert.deepEqual(again, seen.slice(1));
    assert.throws(
      () => feed.counters(undefined, { resume: { epoch, seq } }),
      /counters was called without an account/,
    );
    followed.unsubscribe();
    await isIdle();
  });

  it('fails each channel above the tier once, and continues with the rest after one more connection', async () => {
    const refusals = () => server.feed.figures().closed.get(4003) ?? 0;
    const before = refusals();
    const feed = free.feed(QUICK);
    const errors: string[] = [];
    const fails = (name: string, frame$: Observable<unknown>) =>
      frame$.subscribe({
        error: (error: unknown) => errors.push(`${name} ${Reflect.get(Object(error), 'code')}`),
      });
    let status: FeedStatus | undefined;
    feed.status$.subscribe((each) => {
      status = each;
    });
    const seen = new Set<string>();
    const followed = merge(feed.test(), feed.counters(), feed.prediction('account_b')).subscribe((frame) =>
      seen.add(`${frame.channel} ${frame.account}`),
    );
    fails('velocity a', feed.velocity('account_a'));
    fails('velocity b', feed.velocity('account_b'));
    fails('signals', feed.signals());
    await until('the rest goes on', () => status?.state === 'live' && seen.size === 4);
    assert.deepEqual(errors.sort(), [
      'signals tier_too_low',
      'velocity a tier_too_low',
      'velocity b tier_too_low',
    ]);
    assert.equal(refusals() - before, 1);
    fails('later', feed.signals('account_b'));
    await until('that is refused too', () => errors.includes('later tier_too_low'));
    await until('and the rest goes on', () => status?.state === 'live');
    assert.equal(refusals() - before, 2);
    followed.unsubscribe();
    await isIdle();
  });

  it('reconnects for the heartbeat alone, and not without a follower', async () => {
    const feed = free.feed(QUICK);
    const beats: number[] = [];
    const followed = feed.heartbeat().subscribe(({ ts }) => beats.push(ts));
    await assert.rejects(firstValueFrom(feed.signals('account_a')), { code: 'tier_too_low' });
    await until('it is back', async () => {
      await server.tick();
      return beats.length > 1;
    });
    followed.unsubscribe();
    await assert.rejects(firstValueFrom(feed.signals('account_a')), { code: 'tier_too_low' });
    const { closed } = server.feed.figures();
    const refusals = closed.get(4003);
    await isIdle();
    assert.equal((await firstValueFrom(feed.status$)).state, 'down');
    assert.equal(closed.get(4003), refusals);
  });

  it('fails only the request that the server does not understand', async () => {
    const feed = pro.feed(QUICK);
    const followed = feed.test().subscribe();
    await Promise.all([
      assert.rejects(firstValueFrom(feed.counters('nobody')), { code: 'account_unknown' }),
      assert.rejects(firstValueFrom(feed.signals('account_a', { bankroll: -1 })), {
        code: 'message_malformed',
      }),
      firstValueFrom(feed.lag('account_a')),
    ]);
    assert.equal(connections(), 1);
    followed.unsubscribe();
    await isIdle();
  });

  it('fails everything with an unknown key, and does not try again', async () => {
    const feed = createClient({ url: server.url, key: 'wrong' }).feed(QUICK);
    const statuses: FeedStatus[] = [];
    feed.status$.subscribe((status) => statuses.push(status));
    const beats = assert.rejects(firstValueFrom(feed.heartbeat()), { code: 'key_invalid' });
    await assert.rejects(firstValueFrom(feed.test()), { code: 'key_invalid', name: 'TallywireError' });
    await beats;
    assert.deepEqual(statuses.at(-1), { state: 'down', reason: 'refused', code: 4001, retryInMs: undefined });
    await isIdle();
  });

  it('waits for a server that is not there yet, and survives a lost connection', async () => {
    const proxy = await openCuttingProxy();
    const feed = createClient({ url: proxy.url }).feed(QUICK);
    const states: string[] = [];
    feed.status$.subscribe((status) => {
      const text = status.state === 'down' ? `down ${status.reason}` : status.state;
      if (isNotStale(text) && states.at(-1) !== text) states.push(text);
    });
    const seqs: number[] = [];
    feed.test().subscribe(({ seq }) => seqs.push(seq));
    await until('it has tried', () => states.filter((state) => state === 'connecting').length > 2);
    assert.ok(states.includes('down unreachable'));
    proxy.aim(server.url);
    await until('it is live', () => states.at(-1) === 'live');
    proxy.cutNow();
    await server.tick();
    await until('it is live again', () => states.at(-1) === 'live' && seqs.length === 2);
    assert.deepEqual(states.slice(-4), ['live', 'down lost', 'resuming', 'live']);
    assert.equal(seqs[1], (seqs[0] ?? 0) + 1);
    feed.close();
    await proxy.close();
    await isIdle();
  });

  it('starts again with a snapshot after a long absence if configured, except for posts', async () => {
    const proxy = await openCuttingProxy();
    proxy.aim(server.url);
    const feed = createClient({ url: proxy.url }).feed({ ...QUICK, replayWithinMs: 0 });
    const seen: string[] = [];
    const note = ({ channel, type }: DataFrame) => seen.push(`${channel} ${type}`);
    merge(feed.test(), feed.tweets('account_a')).subscribe(note);
    await until('both began', () => seen.length === 2);
    proxy.aim(undefined);
    proxy.cutNow();
    for (const id of ['71', '72']) {
      await server.turn(postOutput({ id, account: 'a' }));
      await server.tick();
    }
    proxy.aim(server.url);
    await until('both go on', () => seen.length === 5);
    assert.deepEqual(seen.slice(2).sort(), ['test snapshot', 'tweets update', 'tweets update']);
    feed.close();
    await proxy.close();
    await isIdle();
  });

  it('completes every stream when it is closed, and later ones at once', async () => {
    const feed = free.feed();
    const ends: string[] = [];
    feed.test().subscribe({ complete: () => ends.push('test') });
    feed.heartbeat().subscribe({ complete: () => ends.push('heartbeat') });
    feed.close();
    feed.close();
    feed.test().subscribe({ complete: () => ends.push('later') });
    assert.deepEqual(ends.sort(), ['heartbeat', 'later', 'test']);
    assert.deepEqual(await firstValueFrom(feed.status$), { state: 'down', reason: 'closed' });
    await isIdle();
  });

  it('ignores unknown frames, and leaves a server that sends anything but JSON objects', async () => {
    const other = await openScriptedServer();
    const feed = createClient({ url: other.url }).feed(QUICK);
    const codes: string[] = [];
    feed.event$.subscribe((event) => codes.push(event.type === 'error' ? event.code : event.type));
    other.onSocket((socket) => {
      socket.send('{"type":"rumour","text":"…"}');
      socket.send(codes.length === 0 ? 'null' : '<html>');
    });
    const followed = feed.test().subscribe();
    await until('it has come back', () => codes.length > 2);
    assert.deepEqual([...new Set(codes)], ['not_json']);
    followed.unsubscribe();
    await other.close();
  });
});
