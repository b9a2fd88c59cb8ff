import assert from 'node:assert/strict';
import { ControlError } from '../../../src/world/control/actions.ts';
import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { at, connect, type Json, list, openTestWorld, START_AT, type TestWorld } from '../open.ts';

const SLUG = 'account-a-of-posts-july-14-july-21';

describe('control', () => {
  let test: TestWorld;
  beforeEach(async () => {
    test = await openTestWorld();
  });
  afterEach(() => test.world.close());

  const event = async (slug = SLUG): Promise<unknown> =>
    (await test.get(`${test.world.addresses.market}/events/slug/${slug}`)).json;

  async function tracking(slug = SLUG): Promise<Json> {
    const { oracle } = test.world.addresses;
    const rows = list((await test.get(`${oracle}/trackings?activeOnly=true`)).json, 'data');
    const found = rows.find((row) => String(row.marketLink).endsWith(`/${slug}`));
    const { json } = await test.get(`${oracle}/trackings/${found?.id}?includeStats=true`);
    const data = at(json, 'data');
    assert.ok(typeof data === 'object' && data !== null);
    return { ...data };
  }

  const total = async (): Promise<unknown> => at(await tracking(), 'stats', 'total');

  it('posts now, or at an instant of its own', async () => {
    const now = test.world.control.post({ account: 'b', kind: 'quote', text: 'now' });
    assert.equal(now.createdAt, START_AT);
    const early = test.world.control.post({ account: 'b', createdAt: START_AT - DAY_MS, text: 'early' });
    const { json } = await test.posts(`/2/tweets?ids=${now.id},${early.id}&tweet.fields=created_at`);
    assert.deepEqual(
      list(json, 'data').map((post) => post.created_at),
      [new Date(START_AT).toISOString(), new Date(START_AT - DAY_MS).toISOString()],
    );
  });

  it('stalls the oracle, so that its sync stops, and resumes it with a sync at once', async () => {
    test.world.control.stallOracle({ account: 'a' });
    const before = await total();
    test.world.control.post({ account: 'a' });
    test.clock.at += 50 * MINUTE_MS;
    assert.equal(await total(), before);
    const stalled = Date.parse(String(at(await tracking(), 'user', 'lastSync')));
    assert.ok(stalled <= START_AT);
    test.world.control.resumeOracle({ account: 'a' });
    assert.ok(Number(await total()) > Number(before));
    assert.equal(Date.parse(String(at(await tracking(), 'user', 'lastSync'))), test.clock.at);
  });

  it('syncs the oracle by hand', async () => {
    test.world.control.syncOracle();
    const before = Number(await total());
    test.clock.at += 1;
    test.world.control.post({ account: 'a' });
    test.world.control.post({ account: 'a', kind: 'reply' });
    test.world.control.syncOracle();
    assert.equal(await total(), before + 1);
  });

  it('sets an oracle total and gives it back', async () => {
    const before = await total();
    test.world.control.setOracleTotal({ event: SLUG, total: 4_321 });
    const { stats } = await tracking();
    assert.equal(at(stats, 'total'), 4_321);
    assert.equal(list(stats, 'daily').at(-1)?.cumulative, 4_321);
    test.world.control.setOracleTotal({ event: SLUG, total: null });
    assert.equal(await total(), before);
  });

  it('sets the count on the page, hides it, and gives it back', async () => {
    const before = at(await event(), 'tweetCount');
    test.world.control.setUiCount({ event: SLUG, count: 12 });
    assert.equal(at(await event(), 'tweetCount'), 12);
    test.world.control.setUiCount({ event: SLUG, count: null });
    assert.equal(at(await event(), 'tweetCount'), null);
    test.world.control.setUiCount({ event: SLUG });
    assert.equal(at(await event(), 'tweetCount'), before);
  });

  it('moves a window for market and oracle alike', async () => {
    const [startAt, endAt] = [Date.UTC(2026, 6, 13, 16), Date.UTC(2026, 6, 20, 16)];
    test.world.control.moveWindow({ event: SLUG, startAt, endAt });
    assert.equal(at(await event(), 'endDate'), '2026-07-20T16:00:00Z');
    assert.ok(
      String(at(await event(), 'description')).includes('July 13, 2026, 12:00 PM ET to July 20, 2026'),
    );
    const moved = await tracking();
    assert.deepEqual(
      [moved.startDate, moved.endDate],
      ['2026-07-13T16:00:00.000Z', '2026-07-20T15:59:59.000Z'],
    );
    test.world.control.moveWindow({ event: SLUG });
    assert.equal(at(await event(), 'endDate'), '2026-07-21T16:00:00Z');
  });

  it('gives an event other buckets with tokens of their own, and its own ones again', async () => {
    const titles = async () => list(await event(), 'markets').map((market) => String(market.groupItemTitle));
    const tokens = async () => list(await event(), 'markets').map((market) => String(market.clobTokenIds));
    const [ownTitles, ownTokens] = [await titles(), await tokens()];
    test.world.control.setBuckets({ event: SLUG, bucketWidth: 300, bucketCount: 4 });
    assert.deepEqual((await titles()).sort(), ['0-299', '300-599', '600-899', '900+']);
    assert.deepEqual(
      (await tokens()).filter((each) => ownTokens.includes(each)),
      [],
    );
    test.world.control.setBuckets({ event: SLUG });
    assert.deepEqual(await titles(), ownTitles);
  });

  it('changes the kind of a post', async () => {
    const { id } = test.world.control.post({ account: 'b' });
    const look = async () =>
      at((await test.posts(`/2/tweets?ids=${id}&tweet.fields=referenced_tweets`)).json, 'data', 0);
    assert.equal(at(await look(), 'referenced_tweets'), undefined);
    test.world.control.changeKind({ id, kind: 'reply' });
    assert.equal(at(await look(), 'referenced_tweets', 0, 'type'), 'replied_to');
  });

  it('sends any text over a socket', async () => {
    const frames = await connect(test.world.addresses.bookSocket);
    test.world.control.sendFrame({ socket: 'book', text: '{"event_type":' });
    assert.equal(await frames.until((text) => text.startsWith('{"event')), '{"event_type":');
    frames.socket.terminate();
  });

  it('closes an event with a winner and reopens it', async () => {
    test.world.control.closeEvent({ event: SLUG, winner: '840-879' });
    const closed = await event();
    assert.equal(at(closed, 'closed'), true);
    const winners = list(closed, 'markets').filter((market) => market.outcomePrices === '["1", "0"]');
    assert.deepEqual(
      winners.map((market) => market.groupItemTitle),
      ['840-879'],
    );
    test.world.control.reopenEvent({ event: SLUG });
    assert.equal(at(await event(), 'closed'), false);
    assert.throws(() => test.world.control.closeEvent({ event: SLUG, winner: 'nobody' }), ControlError);
  });

  it('adds an event that market, oracle and book know', async () => {
    const { id, slug } = test.world.control.addEvent({
      account: 'b',
      startAt: START_AT - DAY_MS,
      endAt: START_AT + DAY_MS,
      slug: 'account-b-special',
      bucketWidth: 5,
      bucketCount: 8,
    });
    const added = await event(slug);
    assert.equal(at(added, 'id'), String(id));
    assert.equal(list(added, 'markets').length, 8);
    assert.ok(Number(at(await tracking(slug), 'stats', 'total')) > 0);
    const [token] = JSON.parse(String(at(added, 'markets', 0, 'clobTokenIds')));
    assert.equal((await test.get(`${test.world.addresses.book}/book?token_id=${token}`)).status, 200);
  });

  it('sets a price and gives it back', async () => {
    const [token] = JSON.parse(String(at(await event(), 'markets', 3, 'clobTokenIds')));
    const mid = async () =>
      at((await test.get(`${test.world.addresses.book}/midpoint?token_id=${token}`)).json, 'mid');
    const before = await mid();
    test.world.control.setPrice({ token, price: 0.4 });
    assert.equal(await mid(), '0.4');
    test.world.control.setPrice({ token, price: null });
    assert.equal(await mid(), before);
  });

  it('does the same over HTTP and shows its state', async () => {
    const send = (verb: string, body: unknown) =>
      test.get(`${test.world.addresses.control}/${verb}`, { method: 'POST', body: JSON.stringify(body) });
    const posted = await send('post', { account: 'a', text: 'by wire' });
    const id = String(at(posted.json, 'result', 'id'));
    assert.equal(at((await test.posts(`/2/tweets/${id}`)).json, 'data', 'text'), 'by wire');
    assert.equal((await send('delete-post', { id })).status, 200);
    assert.equal((await test.posts(`/2/tweets/${id}`)).status, 404);
    assert.equal((await send('fault', { role: 'market', kind: 'status', times: 1 })).status, 200);
    const { json } = await test.get(`${test.world.addresses.control}/state`);
    assert.equal(at(json, 'faults', 0, 'left'), 1);
    assert.equal((await test.get(`${test.world.addresses.market}/tags`)).status, 500);
    assert.equal((await send('clear-faults', {})).status, 200);
  });

  it('refuses what it cannot do', async () => {
    const send = (verb: string, body: unknown) =>
      test.get(`${test.world.addresses.control}/${verb}`, { method: 'POST', body: JSON.stringify(body) });
    assert.equal((await send('explode', {})).status, 404);
    assert.equal((await send('post', { account: 'z' })).status, 404);
    assert.equal((await send('post', { account: 'a', colour: 'red' })).status, 400);
    assert.equal((await send('delete-post', { id: '1234567890123456789' })).status, 404);
    assert.equal((await send('close-event', { event: 'unknown' })).status, 404);
    assert.equal((await send('move-window', { event: SLUG, startAt: 2, endAt: 1 })).status, 404);
  });

  it('counts the open connections', async () => {
    const frames = await connect(test.world.addresses.bookSocket);
    assert.deepEqual(at(test.world.control.state(), 'connections'), { book: 1, crypto: 0 });
    frames.socket.terminate();
  });
});
