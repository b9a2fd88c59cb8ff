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
  it('sees an hour pass within seconds, and leaves a log that replays to the same', async () => {
    const data = await mkdtemp(join(tmpdir(), 'tallywire-speed-'));
    const flags = { port: '0', data, speed: String(SPEED), historyDays: '1' };
    const open = (more = {}) =>
      openService(parseConfig({ flags: { ...flags, ...more }, env: {} }), pino({ level: 'silent' }));
    try {
      const startedAt = Date.now();
      const service = await open();
      const client = createClient({ url: service.url, key: 'demo_pro' });
      await eventually('events are known and an hour has passed', async () => {
        const { data: events } = await client.meta('account_a').catch(() => ({ data: [] }));
        const { timestamp } = await client.health().catch(() => ({ timestamp: startedAt }));
        assert.ok(timestamp - startedAt <= SPEED * (Date.now() - startedAt));
        return events.length > 0 && timestamp > startedAt + HOUR_MS;
      });
      await service.stop();

      await assert.rejects(open({ speed: '1' }), { code: 'START_OTHER_WORLD' });
      const store = await openStore(data);
      const { difference, toSeq } = await verify(store, { simulations: 5 });
      assert.equal(difference, null);
      assert.ok(toSeq > 100);
      await store.close();
    } finally {
      await rm(data, { recursive: true });
    }
  });
});
