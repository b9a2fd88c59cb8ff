import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { openService } from '../../src/service/service.ts';
import { openWorld } from '../../src/world/world.ts';
import { SIGNALS } from '../support/payments.ts';

const EXAMPLE = fileURLToPath(new URL('../../src/examples/pay.js', import.meta.url));

describe('the example of a paid call', () => {
  it('pays once against a demo, and gets the same answer for the same payment', async function () {
    this.timeout(120_000);
    const data = await mkdtemp(join(tmpdir(), 'tallywire-pay-'));
    const world = await openWorld({ seed: 3 });
    const flags = { port: '0', data, world: world.url, historyDays: '1', payments: 'demo' };
    const service = await openService(parseConfig({ flags, env: {} }), pino({ level: 'silent' }));
    try {
      const args = [EXAMPLE, service.url + SIGNALS];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const [unpaid = '', paid = '', again = ''] = stdout.split('\n');
      assert.equal(unpaid, '401 key_missing: 0.01 Demo Dollar on eip155:84532');
      assert.match(paid, /^200 paid in 0x[0-9a-f]{4}…, \d+ events$/);
      assert.equal(again, '200 the same answer for the same payment');
      assert.deepEqual(Object(world.control.state().facilitator).settleCalls, 1);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      assert.match(metrics, /^tallywire_payments_total\{outcome="settled"\} 1$/m);
    } finally {
      await service.stop();
      await world.close();
      await rm(data, { recursive: true });
    }
  });
});
