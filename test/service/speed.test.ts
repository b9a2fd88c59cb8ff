import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createClient } from '../../src/client/node.ts';
import { parseConfig } from '../../src/config/config.ts';
import { verify } from '../../src/research/verify.ts';
import { openService } from '../../src/service/service.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { eventually } from '../support/eventually.ts';

const SPEED = 600;

describe('a service that is sped up', () => {
  it('sees an hour pass within seconds, and leaves a log that replays to the same', async () => {
    const data = await mkdtemp(join(tmpdir(), 'tallywire-speed-'));
    const flags = { port: '0', data, speed: String(SPEED), historyDays: '1' };
    const open = (more = {}) =>
      openService(parseConfig({ flags: { ...flags, ...more }, env: {} }), pino({ level: 'silent' }));
    try {
      const startedAt = Date.now();
      const service = await open();
      const client = createClient({ url: service.url, key: 'demo_pro' });
      const seen = new Set<number>();
      await eventually('an event that lasts an hour is over', async () => {
        const { data: events } = await client.crypto().catch(() => ({ data: [] }));
        const listed = events.map(({ event_id }) => event_id);
        for (const id of listed) seen.add(id);
        return listed.length > 0 && listed.length < seen.size;
      });
      const { timestamp } = await client.health();
      assert.ok(timestamp - startedAt <= SPEED * (Date.now() - startedAt));
      await service.stop();

      await assert.rejects(open({ speed: '1' }), { code: 'START_OTHER_WORLD' });
      const store = await openStore(data);
      const phases = new Map<string, string[]>();
      for (const { json } of store.outputs.read('events', 1)) {
        const { key, record } = JSON.parse(json);
        phases.set(key, [...(phases.get(key) ?? []), record.phase]);
      }
      const isSeenToEnd = (each: readonly string[]) => each.includes('active') && each.includes('ended');
      assert.ok([...phases.values()].some(isSeenToEnd), 'no event was seen to end');
      const { difference, toSeq } = await verify(store, { simulations: 5 });
      assert.equal(difference, null);
      assert.ok(toSeq > 100);
      await store.close();
    } finally {
      await rm(data, { recursive: true });
    }
  });
});
