import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createQuotas, type Quotas } from '../../../src/access/limits/quotas.ts';
import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';

const START = Date.UTC(2026, 0, 1, 12);
/** From then on an address is surely silent. */
const SILENT_MS = HOUR_MS + MINUTE_MS;

/** Without what nobody refers to any more. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('createQuotas', () => {
  const call = (quotas: Quotas, address: string, now: number, limit = 3) =>
    quotas.charge(quotas.ofAddress(address, now), now, limit);

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
    call(quotas, 'a', START + HOUR_MS / 2);
    assert.equal(quotas.ofAddress('c', START + HOUR_MS).id, 'a:others');
    assert.equal(quotas.ofAddress('c', START + SILENT_MS).id, 'a:c');
    assert.equal(quotas.ofAddress('d', START + SILENT_MS).id, 'a:others');
    const again = [1, 2, 3].map(() => call(quotas, 'a', START + SILENT_MS, 3));
    assert.deepEqual(again, [true, true, false]);
  });

  it('forgets no call of an address that called within the hour', () => {
    const quotas = createQuotas();
    for (let now = START; now < START + 2 * HOUR_MS; now += MINUTE_MS - 1) {
      call(quotas, 'a', now, 1_000);
      quotas.changes(now);
    }
    assert.equal(quotas.ofAddress('a', START + 2 * HOUR_MS).used, 61);
    quotas.changes(START + 4 * HOUR_MS);
    assert.equal(quotas.addresses, 0);
  });

  it('holds 200,000 addresses, each in little memory, and no more', () => {
    const quotas = createQuotas();
    const before = usedBytes();
    for (let index = 0; index < 300_000; index++)
      call(quotas, `10.${index >> 16}.${index >> 8}.${index & 255}`, START);
    quotas.changes(START);
    const grown = usedBytes() - before;
    assert.equal(quotas.addresses, 200_000);
    assert.ok(grown < 80e6, `${Math.round(grown / 1e6)} MB`);
  });

  it('gives what changed once, and restores it', () => {
    const quotas = createQuotas();
    call(quotas, 'a', START);
    call(quotas, 'a', START);
    call(quotas, 'a', START + 1);
    quotas.charge(quotas.ofKey('k'), START + 1, 5);
    const changes = quotas.changes(START + 1);
    assert.deepEqual(changes, [
      {
        caller: 'a:a',
        calls: [
          [START, 2],
          [START + 1, 1],
        ],
      },
      { caller: 'k:k', calls: [[START + 1, 1]] },
    ]);
    assert.deepEqual(quotas.changes(START + 1), []);
    const restored = createQuotas();
    restored.restore(changes, START + 2);
    assert.deepEqual([restored.ofAddress('a', START + 2).used, restored.ofKey('k').used], [3, 1]);
    assert.deepEqual(restored.changes(START + 2), []);
    assert.deepEqual(
      new Map(restored.all(START + 2).map(({ caller, calls }) => [caller, calls])),
      new Map(changes.map(({ caller, calls }) => [caller, calls])),
    );
  });

  it('gives calls that were taken back, also those it gave before', () => {
    const quotas = createQuotas();
    const hour = quotas.ofKey('k');
    quotas.charge(hour, START, 9);
    quotas.charge(hour, START, 9);
    quotas.charge(hour, START + 5, 9);
    quotas.refund(hour, START + 5);
    const first = quotas.changes(START + 5);
    assert.deepEqual(first, [{ caller: 'k:k', calls: [[START, 2]] }]);
    quotas.refund(hour, START);
    const second = quotas.changes(START + 6);
    assert.deepEqual(second, [{ caller: 'k:k', calls: [[START, -1]] }]);
    const restored = createQuotas();
    restored.restore([...first, ...second], START + 9);
    assert.equal(restored.ofKey('k').used, 1);
  });

  it('restores no call that is over', () => {
    const quotas = createQuotas();
    quotas.restore(
      [
        { caller: 'a:old', calls: [[START - HOUR_MS, 5]] },
        {
          caller: 'a:half',
          calls: [
            [START - HOUR_MS, 5],
            [START - HOUR_MS + 1, 2],
          ],
        },
        { caller: 'a:half', calls: [[START - HOUR_MS, -1]] },
        { caller: 'a:others', calls: [[START, 3]] },
      ],
      START,
    );
    assert.equal(quotas.ofAddress('half', START).used, 2);
    assert.equal(quotas.addresses, 1);
    assert.deepEqual(
      quotas.all(START).map(({ caller }) => caller),
      ['a:half', 'a:others'],
    );
  });
});
