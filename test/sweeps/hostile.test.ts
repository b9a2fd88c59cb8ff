import assert from 'node:assert/strict';
import { ATTACKS } from './attacks.ts';
import { measureBase, underAttack } from './under-attack.ts';

const CONNECTIONS = 20;
const ATTACK_MS = 1_000;
const WARM_MS = 500;
const MOST_GROWN_MB = 20;
const SAMPLE = [
  'GETs of a document in a row, never read',
  'GETs of what no hour counts, as fast as they are answered',
  'pings never read',
  'subscriptions never read',
];

describe('a server that a few connections attack', () => {
  let base: number;
  before(async function () {
    this.timeout(60_000);
    base = await measureBase(WARM_MS);
  });
  for (const attack of ATTACKS.filter(({ name }) => SAMPLE.includes(name))) {
    it(`serves good clients and takes little memory under ${attack.name}`, async function () {
      this.timeout(60_000);
      const field = { connections: CONNECTIONS, mostMs: ATTACK_MS };
      const { wrong, memoryMb, p99Ms } = await underAttack(attack, field, base, WARM_MS);
      assert.deepEqual(wrong, []);
      assert.ok(memoryMb <= MOST_GROWN_MB, `memory rose by ${memoryMb} MB`);
      assert.ok(Number.isFinite(p99Ms), 'no good client was answered');
    });
  }
});
