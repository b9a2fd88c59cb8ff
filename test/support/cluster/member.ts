import type { Member } from '../../../src/cluster/entries/member.ts';

/** What a standby tells of itself that has applied nothing yet. */
export const STANDBY: Member = {
  role: 'engine',
  host: 'machine-1',
  shard: 'main',
  state: 'standby',
  term: null,
  version: '1.0.0',
  graphVersion: 1,
  place: 0,
  seq: 0,
  digest: 'd',
  lagMs: 0,
  alarm: null,
  at: 0,
};
