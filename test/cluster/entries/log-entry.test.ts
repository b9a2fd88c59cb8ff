import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EMPTY_DIGEST, nextDigest } from '../../../src/cluster/entries/chain.ts';
import { decodeLogEntry, encodeLogEntry } from '../../../src/cluster/entries/log-entry.ts';
import type { Observation } from '../../../streams/internal.ts';
import { anyLog } from '../../support/observations.ts';

const digestOf = (observations: readonly Observation[]) => observations.reduce(nextDigest, EMPTY_DIGEST);

const aLog = anyLog(20).filter(({ length }) => length > 0);

describe('log entries', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(aLog, (observations) => {
        const entry = { digest: digestOf(observations), graphVersion: 7, observations };
        const read = decodeLogEntry(encodeLogEntry(entry));
        assert.equal(JSON.stringify(read), JSON.stringify(entry));
        assert.equal(digestOf(read.observations), entry.digest);
      }),
      { numRuns: 30 },
    );
  });

  it('have another digest after any change of an observation', () => {
    fc.assert(
      fc.property(aLog, fc.nat(), fc.nat(2), (observations, at, what) => {
        const changed = observations.map((each, index) => {
          if (index !== at % observations.length) return each;
          if (what === 0) return { ...each, receivedAt: each.receivedAt + 1 };
          return what === 1
            ? { ...each, aheadMs: (each.aheadMs ?? 0) + 1 }
            : { ...each, fact: { kind: 'tick' as const, ages: { 'another:source': 1 } } };
        });
        assert.notEqual(digestOf(changed), digestOf(observations));
      }),
      { numRuns: 30 },
    );
  });

  it('are refused when they are not what an engine writes', () => {
    const entry = { digest: EMPTY_DIGEST, graphVersion: 1, seq: 1, observations: [[5, { kind: 'tick' }]] };
    const bytesOf = (version: number, value: unknown) =>
      Buffer.concat([Buffer.from([version]), Buffer.from(JSON.stringify(value))]);
    assert.equal(decodeLogEntry(bytesOf(1, entry)).observations[0]?.seq, 1);
    for (const broken of [
      { ...entry, digest: 'short' },
      { ...entry, observations: [] },
      { ...entry, observations: [[5]] },
      { ...entry, observations: [['5', { kind: 'tick' }]] },
      { ...entry, observations: [[5, { sort: 'tick' }]] },
      { ...entry, seq: 0 },
      { ...entry, more: true },
      null,
    ]) {
      assert.throws(() => decodeLogEntry(bytesOf(1, broken)), { code: 'BUS_DAMAGED' });
    }
    assert.throws(() => decodeLogEntry(Buffer.from('\x01{')), { code: 'BUS_DAMAGED' });
    assert.throws(() => decodeLogEntry(bytesOf(2, entry)), { code: 'BUS_LAYOUT' });
    assert.throws(() => decodeLogEntry(new Uint8Array()), { code: 'BUS_LAYOUT' });
  });
});
