import { GRAPH_VERSION } from '../../../streams/internal.ts';
import type { Bus } from '../../bus/bus.ts';
import type { Time } from '../../bus/time.ts';
import { encodeMember } from '../entries/member.ts';
import type { EdgeShards } from './edge-shards.ts';

const SECOND_MS = 1_000;

interface MembersDeps {
  readonly bus: Bus;
  /** One that the process keeps over restarts. */
  readonly member: string;
  /** Of the machine, and of the program. */
  readonly host: string;
  readonly version: string;
  readonly shards: Pick<EdgeShards, 'list'>;
  readonly time: Time;
  /** UTC ms. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

/** Ms since an edge last knew all of every shard; null while it never did. */
export function lagOf(shards: Pick<EdgeShards, 'list'>, monoMs: number): number | null {
  const caughtUp = shards.list().map(({ following }) => following.caughtUpAt);
  if (caughtUp.length === 0) return null;
  const ats = caughtUp.filter((at) => at !== undefined);
  return ats.length < caughtUp.length ? null : Math.max(0, monoMs - Math.min(...ats));
}

/** Tells the others of this edge, each second, until the signal is aborted. */
export async function tellOfEdge(deps: MembersDeps, signal: AbortSignal): Promise<void> {
  const { bus, member, host, version, shards, time, now, report } = deps;
  const members = bus.shared('members');
  while (!signal.aborted) {
    const value = encodeMember({
      role: 'edge',
      host,
      shard: null,
      state: 'edge',
      term: null,
      version,
      graphVersion: GRAPH_VERSION,
      place: null,
      shards: shards.list().map(({ name, following: { place, caughtUpAt } }) => ({
        shard: name,
        place,
        lagMs: caughtUpAt === undefined ? null : Math.max(0, time.mono() - caughtUpAt),
      })),
      seq: null,
      digest: null,
      lagMs: lagOf(shards, time.mono()),
      alarm: null,
      at: now(),
    });
    await members.set(member, value).catch((error: unknown) => {
      if (!signal.aborted) report(error);
    });
    await time.pause(SECOND_MS, signal);
  }
}
