import assert from 'node:assert/strict';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { bucket, eventOutput } from '../support/outputs.ts';
import { createDeliveredValues, INPUTS } from './delivered-values.ts';

const OPENING = Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n');

function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}

async function stage() {
  let at = 0;
  const kept = createMemoryStore();
  const subject = { type: 'posts', account: 'a' } as const;
  const token = '777';
  const buckets = [bucket({ yesToken: token })];
  const fields = { eventId: 5, slug: 'a-slug', trackingId: 't-1', subject, buckets };
  await kept.outputs.append([eventOutput(fields, { seq: 1 })], 1);
  const values = createDeliveredValues({ now: () => at, kept, accounts: [{ id: 'a', userId: '7' }] });
  return {
    values,
    token,
    read(second: number, path: string, text = '{}') {
      at = second;
      values.onRead(new URL(`http://world.test${path}`), text);
    },
    heard: () => INPUTS.map((input) => values.heardAt('5', input)),
  };
}

describe('createDeliveredValues', () => {
  it('knows when each input of an event was last answered, and no other', async () => {
    const { read, heard } = await stage();
    read(1, '/posts-api/2/users/7/tweets?since_id=1');
    read(2, '/oracle/api/trackings/t-1?includeStats=true');
    read(3, '/market/events/slug/a-slug');
    read(4, '/book/books');
    read(5, '/posts-api/2/users/8/tweets');
    read(6, '/oracle/api/trackings/t-2?includeStats=true');
    read(7, '/market/events/slug/another');
    assert.deepEqual(heard(), [1, 2, 3, 4]);
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
