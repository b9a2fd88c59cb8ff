import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import * as z from 'zod';
import { parseConfig } from '../../src/config/config.ts';
import { hasPast, isSold } from '../../src/contract/operation.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { openService } from '../../src/service/service.ts';
import { openWorld } from '../../src/world/world.ts';
import { withRequired } from '../server/call-endpoint.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { routesOf } from '../support/routes.ts';

const EXAMPLE = fileURLToPath(new URL('../../src/examples/pay.js', import.meta.url));

const listed = z.object({
  data: z.array(z.object({ active_events: z.tuple([z.object({ event_id: z.number() })], z.unknown()) })),
});

/** A path that is sold, and whether its answer without a payment is a refusal. */
interface Sold {
  readonly path: string;
  readonly isRefused: boolean;
}

/** Every path whose answer a payment improves, with the parameters it needs, now and in the past. */
function soldPaths(pastAt: number, eventIds: readonly number[]): readonly Sold[] {
  return routesOf(OPERATIONS.filter(isSold), ACCOUNTS).flatMap((route): readonly Sold[] => {
    const { operation } = route;
    // The routes have 1 and 2 in place of an event of each account.
    const path = operation.path.endsWith('/{event}')
      ? route.path.replace(/\d+$/, (index) => String(eventIds[Number(index) - 1]))
      : route.path;
    const now = { path: withRequired(path), isRefused: operation.access === 'PRO' };
    const past = { path: `${path}?as_of=${pastAt}`, isRefused: true };
    const isSoldNow = operation.access === 'PRO' || operation.access === 'tiered';
    return [...(isSoldNow ? [now] : []), ...(hasPast(operation) ? [past] : [])];
  });
}

describe('the example of a paid call', () => {
  it('pays once for every path that sells something, and gets the same answer for the same payment', async function () {
    this.timeout(120_000);
    const data = await mkdtemp(join(tmpdir(), 'tallywire-pay-'));
    const world = await openWorld({ seed: 3 });
    const flags = { port: '0', data, world: world.url, historyDays: '1', payments: 'demo' };
    const service = await openService(parseConfig({ flags, env: {} }), pino({ level: 'silent' }));
    try {
      let pastAt = 0;
      await eventually('the events of both accounts are known', async () => {
        const answers = await Promise.all(
          ACCOUNTS.map(({ segment }) => fetch(`${service.url}/api/v1/meta/${segment}`)),
        );
        const bodies = await Promise.all(answers.map((answer) => answer.json()));
        pastAt = Math.max(...bodies.map((body) => Number(Object(body).timestamp)));
        return answers.every(({ ok }) => ok);
      });
      const { data: accounts } = listed.parse(await (await fetch(`${service.url}/api/v1/accounts`)).json());
      const sold = soldPaths(
        pastAt,
        accounts.map(({ active_events }) => active_events[0].event_id),
      );
      assert.equal(sold.length, 21);
      const args = [EXAMPLE, ...sold.map(({ path }) => service.url + path)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const lines = stdout.split('\n');
      for (const [at, { path, isRefused }] of sold.entries()) {
        const [unpaid, paid = '', again] = lines.slice(3 * at, 3 * at + 3);
        const first = isRefused ? '401 key_missing' : '200 what FREE sees';
        assert.equal(unpaid, `${first}: 0.01 Demo Dollar on eip155:84532`, path);
        assert.match(paid, /^200 paid in 0x[0-9a-f]{4}…, \d+ records$/, path);
        assert.equal(again, '200 the same answer for the same payment', path);
      }
      assert.equal(Object(world.control.state().facilitator).settleCalls, sold.length);
      const metrics = await (
        await fetch(`${service.url}/metrics`, { headers: { 'X-API-Key': 'demo_internal' } })
      ).text();
      assert.match(
        metrics,
        new RegExp(`^tallywire_payments_total\\{outcome="settled"\\} ${sold.length}$`, 'm'),
      );
    } finally {
      await service.stop();
      await world.close();
      await rm(data, { recursive: true });
    }
  });
});
