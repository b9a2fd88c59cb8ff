import assert from 'node:assert/strict';
import type { Bus } from '../../../src/bus/bus.ts';
import { checkRegistration, registerShard } from '../../../src/cluster/engine/register-shard.ts';
import { parseConfig } from '../../../src/config/config.ts';
import type { BusUnderTest } from '../../bus/contract.ts';
import { openSimulatedBus } from '../../support/bus/simulated-bus.ts';

const { accounts, staleAfterMs } = parseConfig({ flags: {}, env: {} });

describe('the registration of a shard', () => {
  let under: BusUnderTest;
  let bus: Bus;
  beforeEach(async () => {
    under = openSimulatedBus(7);
    ({ bus } = await under.settled(under.join()));
  });
  afterEach(() => under.close());

  const register = () =>
    under.settled(registerShard({ bus, shard: 'main', accounts, staleAfterMs, now: () => 1 }));
  const check = (...ids: readonly string[]) =>
    under.settled(
      checkRegistration(
        bus,
        'main',
        ids.map((id) => ({ id })),
      ),
    );
  const lead = () => under.settled(bus.leases.campaign('main', 'engine', new AbortController().signal));

  it('lets any engine begin a shard, and one with the same accounts join it', async () => {
    await check('x');
    const lease = await lead();
    await register();
    await check('b', 'a');
    await under.settled(lease.release());
  });

  it('refuses an engine with other accounts while the shard is led, and names both lists', async () => {
    const lease = await lead();
    await register();
    for (const ids of [['a'], ['a', 'b', 'c'], []]) {
      await assert.rejects(check(...ids), {
        code: 'START_OTHER_ACCOUNTS',
        message: new RegExp(
          `^the shard main is led with the accounts a, b, and this engine has ${ids.join(', ')}; `,
        ),
      });
    }
    await under.settled(lease.release());
  });

  it('may be given other accounts once its engines have stopped in order', async () => {
    const lease = await lead();
    await register();
    await under.settled(lease.release());
    await check('a', 'b', 'c');
  });
});
