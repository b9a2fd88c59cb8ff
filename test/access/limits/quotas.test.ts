import assert from 'node:assert/strict';
import { createQuotas, type Quotas } from '../../../src/access/limits/quotas.ts';
import { KEPT_MINUTES } from '../../../src/access/limits/sliding-hour.ts';

const START = 30_000_000;

describe('createQuotas', () => {
  const call = (quotas: Quotas, address: string, minute: number, limit = 3) =>
    quotas.charge(quotas.ofAddress(address, minute), minute, limit);

  it('counts callers on their own, also a key and an address of the same name', () => {
    const quotas = createQuotas();
    assert.equal(call(quotas, 'one', START, 1), true);
    assert.equal(call(quotas, 'one', START, 1), false);
    assert.equal(call(quotas, 'two', START, 1), true);
    assert.equal(quotas.charge(quotas.ofKey('one'), START, 1), true);
  });

  it('counts addresses past the maximum together in one hour', () => {
    const quotas = createQuotas(2);
    for (const address of ['a', 'b', 'c', 'd', 'e']) assert.equal(call(quotas, address, START), true);
    assert.equal(call(quotas, 'f', START), false);
    assert.equal(call(quotas, 'a', START), true);
    assert.equal(quotas.addresses, 2);
  });

  it('gives a newcomer the place of an address that was silent for an hour, never that of another', () => {
    const quotas = createQuotas(2);
    call(quotas, 'a', START);
    call(quotas, 'b', START);
    call(quotas, 'a', START + 30);
    assert.equal(quotas.ofAddress('c', START + 60).id, 'a:others');
    assert.equal(quotas.ofAddress('c', START + KEPT_MINUTES).id, 'a:c');
    assert.equal(quotas.ofAddress('d', START + KEPT_MINUTES).id, 'a:others');
    const again = [1, 2].map(() => call(quotas, 'a', START + KEPT_MINUTES, 2));
    assert.deepEqual(again, [true, false]);
  });

  it('starts a newcomer in an old place from nothing', () => {
    const quotas = createQuotas(1);
    call(quotas, 'a', START);
    call(quotas, 'a', START);
    quotas.changes(START);
    const later = START + 2 * KEPT_MINUTES;
    assert.equal(call(quotas, 'b', later), true);
    assert.deepEqual(quotas.changes(later), {
      hours: [{ caller: 'a:b', minutes: [[later, 1]] }],
      gone: ['a:a'],
    });
  });

  it('holds 200,000 addresses, each in little memory, and no more', () => {
    const quotas = createQuotas();
    const before = process.memoryUsage();
    for (let index = 0; index < 300_000; index++)
      call(quotas, `10.${index >> 16}.${index >> 8}.${index & 255}`, START);
    const after = process.memoryUsage();
    assert.equal(quotas.addresses, 200_000);
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    assert.ok(grown < 120e6, `${Math.round(grown / 1e6)} MB`);
  });

  it('gives what changed once, and restores it', () => {
    const quotas = createQuotas();
    call(quotas, 'a', START);
    call(quotas, 'a', START + 1);
    quotas.charge(quotas.ofKey('k'), START + 1, 5);
    const changes = quotas.changes(START + 1);
    assert.deepEqual(changes, {
      hours: [
        {
          caller: 'a:a',
          minutes: [
            [START, 1],
            [START + 1, 1],
          ],
        },
        { caller: 'k:k', minutes: [[START + 1, 1]] },
      ],
      gone: [],
    });
    assert.deepEqual(quotas.changes(START + 1), { hours: [], gone: [] });
    const restored = createQuotas();
    restored.restore(changes.hours, START + 2);
    assert.deepEqual([restored.ofAddress('a', START + 2).used, restored.ofKey('k').used], [2, 1]);
    assert.deepEqual(restored.changes(START + 2), { hours: [], gone: [] });
  });

  it('gives again what could not be stored', () => {
    const quotas = createQuotas(1);
    call(quotas, 'a', START);
    call(quotas, 'b', START);
    quotas.charge(quotas.ofKey('k'), START, 5);
    const changes = quotas.changes(START);
    call(quotas, 'a', START);
    quotas.keepDirty({ ...changes, gone: ['a:z'] });
    const again = quotas.changes(START);
    assert.deepEqual(again.gone, ['a:z']);
    assert.deepEqual(
      new Map(again.hours.map(({ caller, minutes }) => [caller, minutes])),
      new Map([
        ['a:a', [[START, 2]]],
        ['a:others', [[START, 1]]],
        ['k:k', [[START, 1]]],
      ]),
    );
  });

  it('forgets calls older than an hour and moves calls of the future to this minute', () => {
    const quotas = createQuotas();
    quotas.restore(
      [
        { caller: 'a:old', minutes: [[START - KEPT_MINUTES, 5]] },
        {
          caller: 'a:half',
          minutes: [
            [START - KEPT_MINUTES, 5],
            [START - KEPT_MINUTES + 1, 2],
          ],
        },
        {
          caller: 'k:future',
          minutes: [
            [START, 1],
            [START + 500, 2],
          ],
        },
      ],
      START,
    );
    assert.equal(quotas.ofAddress('half', START).used, 2);
    assert.equal(quotas.ofKey('future').used, 3);
    assert.equal(quotas.charge(quotas.ofKey('future'), START + 60, 3), false);
    assert.equal(quotas.charge(quotas.ofKey('future'), START + KEPT_MINUTES, 3), true);
    assert.deepEqual(quotas.changes(START).gone, ['a:old']);
  });
});
