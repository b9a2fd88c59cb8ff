import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Inspection, StreamReport } from '../../../src/bus/inspection.ts';
import { encodeMember, type Member } from '../../../src/cluster/entries/member.ts';
import { encodeRegistration } from '../../../src/cluster/entries/shard-registration.ts';
import { readClusterStatus } from '../../../src/cluster/status/read-status.ts';
import { STANDBY } from '../../support/cluster/member.ts';

const NOW = 1_800_000_000_000;

const STREAM: StreamReport = {
  name: 'TALLYWIRE_shard_main',
  first: 1,
  last: 0,
  bytes: 0,
  copies: 3,
  currentCopies: 3,
  leader: 'n1',
  at: NOW,
};

const limits = { posts: 1, oracle: 1, ui: 1, prices: 1, crypto: 1, events: 1 };

interface Looked {
  /** When each message of the shard's stream was stored. */
  readonly times?: readonly number[];
  readonly members?: readonly { readonly name: string; readonly member: Member; readonly storedAt: number }[];
  readonly lease?: { readonly owner: string; readonly term: number; readonly storedAt: number };
  readonly servers?: Awaited<ReturnType<Inspection['servers']>>;
  readonly stream?: Partial<StreamReport>;
}

/** What the servers of a cluster would tell. */
function lookingAt({ times = [], members = [], lease, servers = [], stream = {} }: Looked): Inspection {
  return {
    epoch: 'e',
    address: 'n1:4222',
    servers: async () => servers,
    commonStreams: async () => [],
    shardStream: async () => ({ ...STREAM, last: times.length, ...stream }),
    values: async (area) =>
      area === 'shards'
        ? [
            {
              name: 'main',
              bytes: encodeRegistration({ accounts: [], staleAfterMs: limits, since: 1 }),
              storedAt: 1,
            },
          ]
        : members.map(({ name, member, storedAt }) => ({ name, bytes: encodeMember(member), storedAt })),
    lease: async () => lease ?? { owner: 'engine-a-1', term: 4, storedAt: NOW - 100 },
    storedAt: async (_shard, place) => times[place - 1],
    close: async () => undefined,
  };
}

describe('the status of a cluster', () => {
  it('counts what a member had not applied when it told of itself, and not what came later', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 60 }),
        fc.nat({ max: 60 }),
        fc.integer({ min: 0, max: 4_000 }),
        async (agos, applied, toldAgo) => {
          const times = agos.toSorted((a, b) => b - a).map((ago) => NOW - ago);
          const place = Math.min(applied, times.length);
          const storedAt = NOW - toldAgo;
          const members = [{ name: 'engine-b', member: { ...STANDBY, place }, storedAt }];
          const status = await readClusterStatus(lookingAt({ times, members }));
          const late = times.filter((at, index) => index >= place && at <= storedAt).length;
          assert.equal(status.members[0]?.shards[0]?.behindPlaces, late);
        },
      ),
    ));

  it('shows who was not heard of for 5 s as silent, behind all there is by now, and leaves them out after an hour', async () => {
    const times = Array.from({ length: 10 }, () => NOW - 3_000);
    const told = (name: string, agoMs: number) => ({
      name,
      member: { ...STANDBY, place: 4, lagMs: 20 },
      storedAt: NOW - agoMs,
    });
    const { members, warnings } = await readClusterStatus(
      lookingAt({ times, members: [told('here', 4_999), told('silent', 5_000), told('gone', 3_600_000)] }),
    );
    assert.deepEqual(
      members.map(({ name, isSilent, shards: [of] }) => [name, isSilent, of?.behindPlaces, of?.lagMs]),
      [
        ['here', false, 0, 20],
        ['silent', true, 6, 5_020],
      ],
    );
    assert.deepEqual(warnings, ['the engine silent on machine-1 was last heard of 5.0 s ago']);
  });

  it('names no leader when the lease is not renewed any more, or was never taken', async () => {
    const lost = await readClusterStatus(
      lookingAt({ lease: { owner: 'engine-a-1', term: 4, storedAt: NOW - 7_200 } }),
    );
    assert.deepEqual(
      [lost.shards[0]?.leader, lost.warnings],
      [null, ['no engine leads the shard main: term 4, silent for 7.2 s']],
    );
    const led = await readClusterStatus(lookingAt({}));
    assert.deepEqual([led.shards[0]?.leader, led.warnings], ['engine-a-1', []]);
  });

  it('says which servers are old or do not sync, and which streams lack copies', async () => {
    const { warnings } = await readClusterStatus(
      lookingAt({
        servers: [
          { name: 'n1', version: '2.10.27', isOld: false, syncsEveryWrite: true },
          { name: 'n2', version: '2.10.27', isOld: false, syncsEveryWrite: false },
          { name: 'n3', version: '2.9.10', isOld: true, syncsEveryWrite: null },
        ],
        stream: { currentCopies: 1, leader: null },
      }),
    );
    assert.deepEqual(warnings, [
      'the server n2 acknowledges what is not on its disk yet: set sync_interval to always in its configuration',
      'the server n3 has version 2.9.10, which is too old',
      '1 of the 3 copies of the stream TALLYWIRE_shard_main are current, and no server leads it',
    ]);
  });
});
