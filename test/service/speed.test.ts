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
import { HOUR_MS } from '../../streams/internal.ts';
import { eventually } from '../support/eventually.ts';

const SPEED = 600;

describe('a service that is sped up', () => {
  it('sees hours pass and events settle within seconds, and leaves a log that replays to the same', async () => {
    const data = await mkdtemp(join(tmpdir(), 'tallywire-speed-'));
    const flags = { port: '0', data, speed: String(SPEED), historyDays: '4' };
    const open = (more = {}) =>
      openService(parseConfig({ flags: { ...flags, ...more }, env: {} }), pino({ level: 'silent' }));
    try {
      const startedAt = Date.now();
      const service = await open();
      const client = createClient({ url: service.url, key: 'demo_pro' });
      await eventually('two hours have passed', async () => {
        const { timestamp } = await client.health();
        return timestamp > startedAt + 2 * HOUR_MS;
      });
      const passedMs = (await client.health()).timestamp - startedAt;
      assert.ok(passedMs <= SPEED * (Date.now() - startedAt));
      await eventually('a count is known', async () => {
        const { data: counters } = await client.meta('account_a').catch(() => ({ data: [] }));
        return counters.some(({ real_counter }) => (real_counter ?? 0) > 0);
      });
      await service.stop();

      await assert.rejects(open({ speed: '1' }), { code: 'START_OTHER_WORLD' });
      const store = await openStore(data);
      const phases = new Map<string, Set<string>>();
      for (const { json } of store.outputs.read('events', 1)) {
        const { key, record } = JSON.parse(json);
        phases.set(key, (phases.get(key) ?? new Set()).add(record.phase));
      }
      const isSeen = (seen: ReadonlySet<string>) => seen.has('active') && seen.has('closed');
      assert.ok([...phases.values()].some(isSeen), 'no event was seen to close');
      const { difference, toSeq } = await verify(store, { simulations: 5 });
      assert.equal(difference, null);
      assert.ok(toSeq > 100);
      await store.close();
    } finally {
      await rm(data, { recursive: true });
    }
  });
});
