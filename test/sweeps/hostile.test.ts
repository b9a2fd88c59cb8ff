import assert from 'node:assert/strict';
import type { Field } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { measureBase, underAttack } from './under-attack.ts';

const CONNECTIONS = 20;
const ATTACK_MS = 1_500;
const WARM_MS = 1_000;
const MOST_GROWN_MB = 20;
const SAMPLE = [
  'GETs of a document in a row, never read',
  'GETs of what no hour counts, as fast as they are answered',
  'pings never read',
  'subscriptions never read',
  'replays of everything',
];

describe('a server that a few connections attack in many ways at once', () => {
  it('serves good clients and takes little memory', async function () {
    this.timeout(120_000);
    const attacks = ATTACKS.filter(({ name }) => SAMPLE.includes(name));
    assert.equal(attacks.length, SAMPLE.length);
    const all = {
      name: 'all at once',
      run: async (field: Field) => (await Promise.all(attacks.map(({ run }) => run(field)))).join(),
    };
    const base = await measureBase(WARM_MS, ATTACK_MS);
    const field = { connections: CONNECTIONS, mostMs: ATTACK_MS };
    const { wrong, memoryMb } = await underAttack(all, field, base, WARM_MS);
    assert.deepEqual(wrong, []);
    assert.ok(memoryMb <= MOST_GROWN_MB, `memory rose by ${memoryMb} MB`);
  });
});
