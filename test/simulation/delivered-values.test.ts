import assert from 'node:assert/strict';
import type { EventRecord, Price } from '../../streams/internal.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { bucket, countersOutput, eventOutput, freshnessOutput, priceOutput } from '../support/outputs.ts';
import { createDeliveredValues, INPUTS } from './delivered-values.ts';

const OPENING = Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n');

function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}

async function stage(shownAfterMs = 0) {
  let at = 0;
  const kept = createMemoryStore();
  const subject = { type: 'posts', account: 'a' } as const;
  const token = '777';
  const fields = { eventId: 5, slug: 'a-slug', trackingId: 't-1', subject };
  const accounts = [{ id: 'a', userId: '7' }];
  const values = createDeliveredValues({
    now: () => at,
    kept,
    accounts,
    shownAfterMs: () => shownAfterMs,
  });
  const logTick = () => values.onKept('journal', 'append', [[{ fact: { kind: 'tick' } }]]);
  const keepTick = () => values.onKept('outputs', 'append', [[freshnessOutput({})], 0]);
  const keepEvent = async (
    phase: EventRecord['phase'],
    seq: number,
    yesToken = token,
    slug = fields.slug,
  ) => {
    const event = eventOutput({ ...fields, slug, phase, buckets: [bucket({ yesToken })] }, { seq });
    await kept.outputs.append([event], seq);
    values.onKept('outputs', 'append', [[event], seq]);
  };
  const become = async (...event: Parameters<typeof keepEvent>) => {
    await keepEvent(...event);
    logTick();
    keepTick();
  };
  await become('active', 1);
  return {
    values,
    become,
    keepEvent,
    logTick,
    keepTick,
    token,
    async keepCount(seq: number, ui: number | null) {
      await kept.outputs.append([countersOutput({ eventId: 5, ui }, { seq })], seq);
    },
    async keepPrice(seq: number, sizes: Pick<Price, 'bidSize' | 'askSize'>) {
      await kept.outputs.append([priceOutput({ eventId: 5, token, ...sizes }, { seq })], seq);
    },
    read(second: number, path: string, text = '{}', source = 'ui:a') {
      at = second;
      values.onRead(new URL(`http://world.test${path}`), text, { source, askedAt: second - 0.5 });
    },
    heard: () => INPUTS.map((input) => values.heardAt('5', input)),
  };
}

describe('createDeliveredValues', () => {
  it('knows when each input of an event was last answered, or posts asked for, and no other', async () => {
    const { read, heard } = await stage();
    read(1, '/posts-api/2/users/7/tweets?since_id=1');
    read(2, '/oracle/api/trackings/t-1?includeStats=true');
    read(3, '/market/events/slug/a-slug');
    read(4, '/book/books');
    read(5, '/posts-api/2/users/8/tweets');
    read(6, '/oracle/api/trackings/t-2?includeStats=true');
    read(7, '/market/events/slug/another');
    assert.deepEqual(heard(), [0.5, 2, 3, 4]);
  });

  it('takes the list for an answer about a price that comes from it, and about no other', async () => {
    const { read, heard, keepPrice, token } = await stage();
    const list = JSON.stringify({ events: [{ clobTokenIds: JSON.stringify([token, '778']) }] });
    read(1, '/book/books');
    read(2, '/market/events/keyset?closed=false', list, 'events');
    assert.equal(heard()[3], 1);
    await keepPrice(2, { bidSize: 10, askSize: null });
    assert.equal(heard()[3], 1);
    await keepPrice(3, { bidSize: null, askSize: null });
    assert.equal(heard()[3], 2);
  });

  it('takes a page for an answer about the prices or about what it counts, by who has read it', async () => {
    const { read, heard, keepPrice, token } = await stage();
    const page = JSON.stringify({ clobTokenIds: JSON.stringify([token, '778']) });
    await keepPrice(2, { bidSize: null, askSize: null });
    read(1, '/market/events/slug/a-slug', page, 'events');
    read(2, '/market/events/slug/a-slug', page, 'ui:a');
    assert.deepEqual(heard().slice(2), [2, 1]);
  });

  it('takes a page for that of the event whose address it was when it was read', async () => {
    const { read, heard, become, token } = await stage();
    await become('active', 2, token, 'of-other-days');
    read(1, '/market/events/slug/of-other-days');
    await become('active', 3);
    assert.equal(heard()[2], 1);
  });

  it('takes a list of books for an answer about one that it leaves out, unless its price is shown', async () => {
    const { read, heard, keepPrice, token, become } = await stage();
    await keepPrice(2, { bidSize: 10, askSize: null });
    read(1, '/book/books', `[{"asset_id":"${token}"}]`);
    read(2, '/book/books');
    assert.equal(heard()[3], 1);
    await keepPrice(3, { bidSize: null, askSize: null });
    await become('ended', 4);
    read(3, '/book/books');
    assert.equal(heard()[3], 3);
  });

  it('says nothing of an event that is over when it had other buckets before: a reader may be sent what was shown of those', async () => {
    const { read, heard, become } = await stage();
    read(1, '/book/books');
    await become('closed', 2, '778');
    assert.deepEqual(heard(), [undefined, undefined, undefined, undefined]);
  });

  it('says nothing of an event that was active for a moment only, as no tick has told its ages', async () => {
    const { read, heard, become } = await stage(10);
    read(5, '/book/books');
    await become('upcoming', 2);
    read(20, '/nothing');
    assert.deepEqual(heard(), [undefined, undefined, undefined, undefined]);
  });

  it('says nothing of an event until a tick is kept that began after the event was opened', async () => {
    const { read, heard, become, keepEvent, logTick, keepTick } = await stage();
    read(1, '/book/books');
    await become('closed', 2);
    // That tick was logged in the same block as what opens the event.
    logTick();
    await keepEvent('active', 3);
    keepTick();
    assert.equal(heard()[3], undefined);
    logTick();
    assert.equal(heard()[3], undefined);
    keepTick();
    assert.equal(heard()[3], 1);
  });

  it('takes no empty book for an answer that an event had before it had other buckets', async () => {
    const { read, heard, become } = await stage();
    read(1, '/book/books');
    assert.equal(heard()[3], 1);
    read(2, '/market/events/slug/another');
    await become('active', 2, '778');
    read(3, '/market/events/slug/another');
    await become('active', 3);
    assert.equal(heard()[3], undefined);
    read(4, '/book/books');
    assert.equal(heard()[3], 4);
  });

  it('takes no page without a count for an answer that an event had before it was active again', async () => {
    const { read, heard, become, keepCount } = await stage();
    read(1, '/market/events/slug/a-slug');
    await become('upcoming', 2);
    read(2, '/nothing');
    await become('active', 3);
    assert.equal(heard()[2], undefined);
    await keepCount(4, 7);
    assert.equal(heard()[2], 1);
    await keepCount(5, null);
    read(3, '/market/events/slug/a-slug');
    assert.equal(heard()[2], 3);
  });

  it('says nothing of an event that has just opened, or opened again', async () => {
    const { become, read, heard, keepCount } = await stage(10);
    await keepCount(2, 7);
    read(1, '/market/events/slug/a-slug');
    assert.equal(heard()[2], undefined);
    read(11, '/nothing');
    assert.equal(heard()[2], 1);
    await become('closed', 3);
    assert.equal(heard()[2], 1);
    await become('active', 4);
    assert.equal(heard()[2], undefined);
    read(21, '/nothing');
    assert.equal(heard()[2], 1);
  });

  it('says nothing of an event that has just opened again, though nobody asked while it was closed', async () => {
    const { become, read, heard } = await stage(10);
    read(11, '/market/events/slug/a-slug');
    assert.equal(heard()[2], 11);
    await become('closed', 2);
    await become('active', 3);
    assert.equal(heard()[2], undefined);
  });

  it('hears of the tokens that an event has, and says nothing of it when they were others a moment ago', async () => {
    const { become, keepPrice, read, heard } = await stage(10);
    read(1, '/book/books');
    heard();
    read(11, '/nothing');
    assert.equal(heard()[3], 1);
    await become('active', 2, '888');
    assert.equal(heard()[3], undefined);
    read(21, '/nothing');
    assert.equal(heard()[3], undefined);
    read(22, '/book/books');
    assert.equal(heard()[3], 22);
    await become('active', 3);
    await keepPrice(4, { bidSize: 10, askSize: null });
    heard();
    read(32, '/nothing');
    assert.equal(heard()[3], 1);
  });

  it('takes what is no JSON for no answer', async () => {
    const { read, heard } = await stage();
    read(1, '/posts-api/2/users/7/tweets', '<html>');
    assert.deepEqual(heard(), [undefined, undefined, undefined, undefined]);
  });

  it('hears of prices over a socket, of the tokens of the event alone', async () => {
    const { values, token, read, heard } = await stage();
    const receive = values.receiver();
    receive(OPENING);
    read(8, '/nothing');
    receive(frame('{"asset_id":"1"}'));
    assert.equal(heard()[3], undefined);
    receive(frame(`{"asset_id":"${token}"}`));
    assert.equal(heard()[3], 8);
  });
});
