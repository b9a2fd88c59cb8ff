import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Gate } from '../../src/access/gate.ts';
import { RequestError } from '../../src/errors.ts';
import { type AccessDeps, openAccess } from '../../src/service/access.ts';
import { createShutdown } from '../../src/service/shutdown.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

function request(key?: string): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  if (key !== undefined) req.headers['x-api-key'] = key;
  return req;
}

/** What is left of the hour after one call. */
function call(gate: Gate): number {
  const endpoint = { access: 'public', isCounted: true } as const;
  const caller = gate.identify(endpoint, request());
  void gate.admit(endpoint, caller);
  const headers = gate.settle(caller, 200, 0);
  return Number(headers[headers.indexOf('X-RateLimit-Remaining') + 1]);
}

describe('openAccess', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'tallywire-access-'));
  });
  afterEach(() => rmSync(data, { recursive: true }));

  async function open(deps: Partial<AccessDeps> = {}, config: Partial<AccessDeps['config']> = {}) {
    const shutdown = createShutdown();
    const store = await openStore(data);
    shutdown.add(() => store.close());
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const { clock = manualClock(NOON) } = deps;
    const access = await openAccess(
      {
        config: { data, host: '127.0.0.1', trustedProxies: [], trafficPerMinute: null, ...config },
        store,
        clock,
        sinceBoot: clock.wall,
        isStandIn: true,
        log,
        ...deps,
      },
      shutdown,
    );
    return { ...access, store, warnings, stop: shutdown.run };
  }

  it('continues counting where the last process stopped', async () => {
    const first = await open();
    assert.deepEqual([call(first.gate), call(first.gate)], [99, 98]);
    await first.stop();
    const second = await open({ clock: manualClock(NOON + 600_000) });
    assert.equal(call(second.gate), 97);
    await second.stop();
    const third = await open({ clock: manualClock(NOON + 4_000_000) });
    assert.equal(call(third.gate), 98);
    await third.stop();
  });

  it('stores what it counted without being stopped, for a process that is killed', async () => {
    const { gate, store, stop } = await open();
    call(gate);
    await eventually('the call is stored', () => store.calls.all().length === 1);
    await stop();
  });

  it('neither frees nor freezes quota when the calendar is set', async () => {
    const clock = manualClock(NOON);
    const { gate, stop } = await open({ clock });
    for (let left = 99; left >= 0; left--) assert.equal(call(gate), left);
    for (const stepMs of [7_200_000, -86_400_000, 86_400_000]) {
      clock.step(stepMs);
      assert.throws(
        () => call(gate),
        (error) => error instanceof RequestError && error.status === 429,
      );
    }
    clock.step(-86_400_000 * 400);
    clock.advance(3_660_000);
    assert.equal(call(gate), 99);
    await stop();
  });

  it('has demo keys in a stand-in world that only this machine can reach, and warns when it has none', async () => {
    const rows: readonly (readonly [boolean, Partial<AccessDeps['config']>, boolean])[] = [
      [true, {}, true],
      [true, { host: '::1' }, true],
      [true, { host: '0.0.0.0' }, false],
      [true, { trustedProxies: ['127.0.0.0/8'] }, false],
      [false, {}, false],
    ];
    for (const [isStandIn, config, isDemo] of rows) {
      const access = await open({ isStandIn }, config);
      assert.equal(access.isDemo, isDemo);
      const identify = () => access.gate.identify({ access: 'PRO' }, request('demo_pro'));
      if (isDemo) assert.equal(identify().tier, 'PRO');
      else assert.throws(identify, RequestError);
      assert.equal(access.warnings.length, isStandIn && !isDemo ? 1 : 0);
      await access.stop();
    }
  });
});
