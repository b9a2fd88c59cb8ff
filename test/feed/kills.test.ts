import assert from 'node:assert/strict';
import { extname } from 'node:path';
import * as z from 'zod';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { startChild } from '../support/child.ts';
import { eventually } from '../support/eventually.ts';
import { withFolder } from '../support/store-records.ts';
import { connect, type Update } from './feed-client.ts';

const KILLS = Number(process.env.FEED_KILLS ?? 4);
const A = { account: 'account_a' };

describe('a feed that is killed', () => {
  it('gives readers that come back every post in order, and never a number twice', () =>
    withFolder(async (folder) => {
      const posts: Update[] = [];
      let cursor: { epoch: string; seq: number } | undefined;
      for (let kill = 0; kill < KILLS; kill++) {
        const child = startChild(new URL(`./feed-child${extname(import.meta.url)}`, import.meta.url), [
          folder,
        ]);
        const { url } = z.object({ url: z.string() }).parse(await child.firstMessage(() => true));
        const client = await connect(url);
        client.send({
          op: 'subscribe',
          channels: [{ channel: 'tweets', ...A, ...(cursor && { resume: cursor }) }],
        });
        await client.next('subscribed');
        await eventually('some posts', () => client.updates().length > 30 + kill * 7);
        child.process.kill('SIGKILL');
        await child.ended();
        await client.closed();
        const [first] = client.frames.filter(({ type }) => type === 'subscribed' || type === 'error');
        assert.equal(first?.type, 'subscribed');
        assert.equal(
          client.frames.some(({ type }) => type === 'snapshot'),
          kill === 0,
        );
        posts.push(...client.updates());
        const last = posts.at(-1);
        cursor = last && { epoch: last.epoch, seq: last.seq };
      }
      const keys = posts.map(({ key }) => Number(key));
      assert.deepEqual(
        posts.filter(({ seq, prev_seq }) => prev_seq !== seq - 1),
        [],
      );
      assert.equal(new Set(keys).size, keys.length);
      const store = await openStore(folder);
      const stored = Array.from(store.outputs.read('posts', 0), ({ json }) =>
        Number(Object(JSON.parse(json)).record.id),
      );
      const from = stored.indexOf(keys[0] ?? -1);
      assert.deepEqual(keys, stored.slice(from, from + keys.length));
      await store.close();
    })).timeout(120_000);
});
