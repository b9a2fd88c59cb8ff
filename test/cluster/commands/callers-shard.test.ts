import assert from 'node:assert/strict';
import { callersShard, keepsCallers } from '../../../src/cluster/commands/callers-shard.ts';
import type { BusUnderTest } from '../../bus/contract.ts';
import { openSimulatedBus } from '../../support/bus/simulated-bus.ts';

describe('the shard that keeps callers', () => {
  let under: BusUnderTest;
  beforeEach(() => {
    under = openSimulatedBus(7);
  });
  afterEach(() => under.close());

  const shared = async () => (await under.settled(under.join())).bus.shared('callers');
  const keeps = async (shard: string, named?: string) =>
    under.settled(keepsCallers(await shared(), shard, named));

  it('is the first one that is led, and stays it', async () => {
    assert.equal(await under.settled(callersShard(await shared())), undefined);
    assert.equal(await keeps('two'), true);
    assert.equal(await keeps('one'), false);
    assert.equal(await keeps('two'), true);
    assert.equal(await under.settled(callersShard(await shared())), 'two');
  });

  it('is the one that is named, and another name is refused', async () => {
    assert.equal(await keeps('two', 'one'), false);
    assert.equal(await under.settled(callersShard(await shared())), undefined);
    assert.equal(await keeps('one', 'one'), true);
    assert.equal(await keeps('two', 'one'), false);
    assert.equal(await keeps('two'), false);
    await assert.rejects(keeps('two', 'two'), { code: 'CALLERS_SHARD' });
  });

  it('is one of two that begin at once', async () => {
    const found = await Promise.all([keeps('one'), keeps('two')]);
    assert.equal(found.filter(Boolean).length, 1);
  });
});
