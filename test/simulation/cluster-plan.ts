import * as z from 'zod';
import { type Chance, chanceOf } from './chance.ts';

const at = z.number().min(0);
const forMs = z.number().min(0);
const downMs = z.number().min(0);
const share = z.number().min(0).max(1);
/** Which process; who leads is decided when it happens. */
const who = z.enum(['leader', 'standby', 'edge 1', 'edge 2']);
const engine = z.enum(['leader', 'standby']);

/** What goes wrong in a cluster, and when, in virtual ms. */
const fault = z.discriminatedUnion('kind', [
  /** A process is killed, and started again after a while. */
  z.object({ kind: z.literal('kill'), at, who, downMs }),
  /** The same before the first event during which the engine's disk writes this part. */
  z.object({
    kind: z.literal('kill_in_commit'),
    at,
    who: engine,
    downMs,
    part: z.enum(['journal', 'outputs', 'feed', 'notes']),
  }),
  /** A process is stopped in order and started again, as at an update. */
  z.object({ kind: z.literal('stop'), at, who }),
  /** A process cannot reach the bus, or the bus cannot reach it. */
  z.object({ kind: z.literal('partition'), at, forMs, who, how: z.enum(['cut', 'deaf']) }),
  /** A process gets no time; it wakes up where it was. */
  z.object({ kind: z.literal('pause'), at, forMs, who }),
  /** The servers of the bus are gone; what they hold stays. */
  z.object({ kind: z.literal('bus_down'), at, forMs }),
  /** The servers of the bus are up, and have lost all that they held. */
  z.object({ kind: z.literal('wiped_bus'), at }),
  /** For a while a share of what is sent over the bus is stored and not answered, is sent twice, or comes late. */
  z.object({ kind: z.literal('lost_acks'), at, forMs, share }),
  z.object({ kind: z.literal('duplicates'), at, forMs, share }),
  z.object({ kind: z.literal('late_messages'), at, forMs, share }),
  /** For a while deliveries leave messages out, break, or fall silent. */
  z.object({ kind: z.literal('broken_deliveries'), at, forMs, share }),
  z.object({ kind: z.literal('refused_writes'), at, forMs, who, why: z.enum(['STORE_FULL', 'STORE_WRITE']) }),
  z.object({ kind: z.literal('slow_disk'), at, forMs, who, commitMs: z.number().min(0) }),
  /** The connections of readers break. */
  z.object({ kind: z.literal('cut_readers'), at, who }),
  /** A post appears that is dated back. */
  z.object({ kind: z.literal('late_post'), at, account: z.enum(['a', 'b']), backMs: z.number().min(0) }),
]);

export type ClusterFault = z.infer<typeof fault>;
export type ClusterFaultKind = ClusterFault['kind'];
export type Who = z.infer<typeof who>;

/** In the order in which they are reported. */
export const CLUSTER_FAULT_KINDS = fault.options.map(({ shape }) => shape.kind.value);

/** Faults in the order of their times. */
export const clusterPlan = z.array(fault);
export type ClusterPlan = readonly ClusterFault[];

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** A simulation is made of rounds: faults, then a minute without any, after which everything has to be whole again. */
export const ROUND_MS = 6 * MINUTE_MS;
export const CALM_MS = MINUTE_MS;
/** The first minute is undisturbed, so that there is something to lose. */
const UNDISTURBED_MS = MINUTE_MS;
const LITTLE_MS = 10 * SECOND_MS;

/** How many hours a simulation takes in which faults go on until `at` and a little longer; hundredths. */
export function clusterHoursUntil(at: number): number {
  const roundAt = at - (at % ROUND_MS);
  const end = roundAt + Math.min(ROUND_MS, at - roundAt + LITTLE_MS + CALM_MS);
  return Math.ceil((end / HOUR_MS) * 100) / 100;
}

/** How often each kind happens in an hour at most. */
const MOST_PER_HOUR: Readonly<Record<ClusterFaultKind, number>> = {
  kill: 100,
  kill_in_commit: 75,
  stop: 37,
  partition: 100,
  pause: 100,
  bus_down: 37,
  wiped_bus: 8,
  lost_acks: 50,
  duplicates: 50,
  late_messages: 50,
  broken_deliveries: 50,
  refused_writes: 37,
  slow_disk: 37,
  cut_readers: 50,
  late_post: 50,
};

/** Which kinds happen at all, and how often, differs from seed to seed: what is rare beside others comes out alone. */
export function clusterPlanOf(seed: number, hours: number): ClusterPlan {
  const end = hours * HOUR_MS;
  const faults: ClusterFault[] = [];
  for (const kind of CLUSTER_FAULT_KINDS) {
    const rate = chanceOf(seed, `rate of ${kind} in a cluster`);
    const isOff = rate() < 0.25;
    const perMs = isOff ? 0 : (rate() * MOST_PER_HOUR[kind]) / HOUR_MS;
    for (let from = 0; from < end; from += ROUND_MS) {
      const chance = chanceOf(seed, `${kind} in the cluster from ${from} on`);
      const first = from === 0 ? UNDISTURBED_MS : 0;
      const spanMs = Math.min(ROUND_MS, end - from) - CALM_MS - first;
      const count = Math.floor(perMs * Math.max(0, spanMs) + chance());
      for (let n = 0; n < count && spanMs > 0; n++) {
        const own = chanceOf(seed, `${kind} ${n} in the cluster from ${from} on`);
        faults.push(drawn(kind, Math.round(from + first + own() * spanMs), own));
      }
    }
  }
  return faults.sort((a, b) => a.at - b.at);
}

function pick<T>(chance: Chance, values: readonly [T, ...T[]]): T {
  return values[Math.floor(chance() * values.length)] ?? values[0];
}

/** Mostly short, sometimes up to `longestMs`. */
function span(chance: Chance, longestMs: number): number {
  return Math.round(chance() ** 2 * longestMs);
}

const ANYONE = ['leader', 'leader', 'leader', 'standby', 'edge 1', 'edge 2'] as const;

function drawn(kind: ClusterFaultKind, when: number, chance: Chance): ClusterFault {
  const base = { at: when };
  switch (kind) {
    case 'kill':
      return { ...base, kind, who: pick(chance, ANYONE), downMs: span(chance, 30 * SECOND_MS) };
    case 'kill_in_commit':
      return {
        ...base,
        kind,
        who: pick(chance, ['leader', 'leader', 'standby']),
        downMs: span(chance, 20 * SECOND_MS),
        part: pick(chance, ['journal', 'outputs', 'feed', 'feed', 'notes']),
      };
    case 'stop':
      return { ...base, kind, who: pick(chance, ANYONE) };
    case 'partition':
      return {
        ...base,
        kind,
        who: pick(chance, ANYONE),
        forMs: span(chance, 20 * SECOND_MS),
        how: pick(chance, ['cut', 'cut', 'deaf']),
      };
    case 'pause':
      return { ...base, kind, who: pick(chance, ANYONE), forMs: span(chance, 20 * SECOND_MS) };
    case 'bus_down':
      return { ...base, kind, forMs: span(chance, 15 * SECOND_MS) };
    case 'wiped_bus':
      return { ...base, kind };
    case 'lost_acks':
    case 'duplicates':
    case 'late_messages':
    case 'broken_deliveries':
      return { ...base, kind, forMs: span(chance, 60 * SECOND_MS), share: 0.01 + chance() ** 2 * 0.3 };
    case 'refused_writes':
      return {
        ...base,
        kind,
        who: pick(chance, ANYONE),
        forMs: span(chance, 30 * SECOND_MS),
        why: pick(chance, ['STORE_FULL', 'STORE_WRITE']),
      };
    case 'slow_disk':
      return {
        ...base,
        kind,
        who: pick(chance, ANYONE),
        forMs: span(chance, 30 * SECOND_MS),
        commitMs: Math.round(100 + chance() * 2_900),
      };
    case 'cut_readers':
      return { ...base, kind, who: pick(chance, ANYONE) };
    case 'late_post':
      return { ...base, kind, account: pick(chance, ['a', 'b']), backMs: span(chance, HOUR_MS) };
  }
}
