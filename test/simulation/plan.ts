import { z } from 'zod';
import { type Chance, chanceOf } from './chance.ts';

const at = z.number().min(0);
const forMs = z.number().min(0);
const role = z.enum(['posts', 'oracle', 'market', 'book', 'crypto', 'bookSocket', 'cryptoSocket']);
const socket = z.enum(['book', 'crypto']);

/** What goes wrong, and when, in virtual ms. */
const fault = z.discriminatedUnion('kind', [
  /** The engine is killed, and started again after a while. */
  z.object({ kind: z.literal('kill'), at, downMs: forMs }),
  /** The same before the first event during which the disk writes this part. */
  z.object({
    kind: z.literal('kill_in_commit'),
    at,
    downMs: forMs,
    part: z.enum(['journal', 'outputs', 'feed', 'checkpoints', 'calls']),
  }),
  z.object({ kind: z.literal('refused_writes'), at, forMs, why: z.enum(['STORE_FULL', 'STORE_WRITE']) }),
  z.object({ kind: z.literal('slow_disk'), at, forMs, commitMs: z.number().min(0) }),
  /** Nothing that the engine sends its readers arrives for a while. */
  z.object({ kind: z.literal('stalled_readers'), at, forMs }),
  /** The connections of readers break. */
  z.object({ kind: z.literal('cut_readers'), at }),
  z.object({ kind: z.literal('dropped_socket'), at, socket }),
  z.object({ kind: z.literal('silent_socket'), at, forMs, socket, answersPings: z.boolean() }),
  /** The next answers of a host are spoiled. */
  z.object({
    kind: z.literal('spoiled_answers'),
    at,
    role,
    how: z.enum(['status', 'html', 'truncated', 'wrong-types', 'slow', 'hang', 'reset']),
    times: z.int().min(1),
    status: z.int(),
    retryAfter: z.string().nullable(),
    delayMs: z.number().min(0),
  }),
  /** A process gets no time, as on a machine that is overloaded or was stopped. */
  z.object({ kind: z.literal('frozen_process'), at, forMs }),
  z.object({ kind: z.literal('set_calendar'), at, forMs, byMs: z.number() }),
  /** The next requests to the simulators go wrong. */
  z.object({
    kind: z.literal('failing_workers'),
    at,
    how: z.enum(['silent', 'late', 'crash']),
    times: z.int().min(1),
  }),
  /** The facilitator, or the node of its chain, treats the next payments in a way of its own. */
  z.object({
    kind: z.literal('troubled_facilitator'),
    at,
    role: z.enum(['facilitator', 'chain']),
    how: z.enum([
      'refuse',
      'busy',
      'pending',
      'no-hash',
      'lose',
      'cancelled',
      'invalid',
      'status',
      'html',
      'truncated',
      'wrong-types',
      'slow',
      'hang',
      'reset',
    ]),
    times: z.int().min(1),
    status: z.int(),
    delayMs: z.number().min(0),
  }),
  /** The engine is killed right after a payment is on disk in this state. */
  z.object({
    kind: z.literal('kill_after_payment'),
    at,
    downMs: forMs,
    state: z.enum(['RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'UNKNOWN']),
  }),
  /** A post appears that is dated back. */
  z.object({ kind: z.literal('late_post'), at, account: z.enum(['a', 'b']), backMs: z.number().min(0) }),
]);

export type Fault = z.infer<typeof fault>;
export type FaultKind = Fault['kind'];

/** In the order in which they are reported. */
export const FAULT_KINDS = fault.options.map(({ shape }) => shape.kind.value);

/** Faults in the order of their times. */
export const plan = z.array(fault);
export type Plan = readonly Fault[];

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The first minutes of a simulation are undisturbed, so that there is something to lose. */
const UNDISTURBED_MS = 3 * MINUTE_MS;
/** The share of each hour, or of what there is of the last one, in which faults happen. In the rest all can recover. */
const FAULTS_SHARE = 52 / 60;

/** When the faults of an hour end, in virtual ms, where a simulation takes so many hours. */
export function faultsEndOf(hour: number, hours: number): number {
  return (hour + Math.min(1, hours - hour) * FAULTS_SHARE) * HOUR_MS;
}

/** When what a fault causes by itself is over, in virtual ms. */
export function endOf(fault: Fault): number {
  const lasting = 'forMs' in fault ? fault.forMs : 'downMs' in fault ? fault.downMs : 0;
  return fault.at + lasting;
}

/** How many hours a simulation takes in which faults go on until `at` and a little longer; hundredths. */
export function hoursUntil(at: number): number {
  const hour = Math.floor(at / HOUR_MS);
  const share = ((at + MINUTE_MS) / HOUR_MS - hour) / FAULTS_SHARE;
  return Math.ceil((hour + Math.min(1, share)) * 100) / 100;
}

/** How often each kind happens in an hour at most. */
const MOST_PER_HOUR: Readonly<Record<FaultKind, number>> = {
  kill: 8,
  kill_in_commit: 12,
  refused_writes: 6,
  slow_disk: 6,
  stalled_readers: 6,
  cut_readers: 10,
  dropped_socket: 6,
  silent_socket: 4,
  spoiled_answers: 40,
  late_post: 6,
  frozen_process: 5,
  set_calendar: 3,
  failing_workers: 4,
  troubled_facilitator: 15,
  kill_after_payment: 8,
};

/** Which kinds happen at all, and how often, differs from seed to seed: what is rare beside others comes out alone. */
export function planOf(seed: number, hours: number): Plan {
  const faults: Fault[] = [];
  for (const kind of FAULT_KINDS) {
    const rate = chanceOf(seed, `rate of ${kind}`);
    const isOff = rate() < 0.25;
    const perHour = isOff ? 0 : rate() * MOST_PER_HOUR[kind];
    for (let hour = 0; hour < Math.ceil(hours); hour++) {
      const chance = chanceOf(seed, `${kind} in hour ${hour}`);
      const count = Math.floor(perHour + chance());
      for (let n = 0; n < count; n++) {
        const own = chanceOf(seed, `${kind} ${n} in hour ${hour}`);
        const fromMs = hour === 0 ? UNDISTURBED_MS : 0;
        const when = hour * HOUR_MS + fromMs + own() * (FAULTS_SHARE * HOUR_MS - fromMs);
        faults.push(drawn(kind, Math.round(when), own));
      }
    }
  }
  const end = faultsEndOf(Math.ceil(hours) - 1, hours);
  return faults.sort((a, b) => a.at - b.at).filter((each) => each.at < end);
}

function pick<T>(chance: Chance, values: readonly [T, ...T[]]): T {
  return values[Math.floor(chance() * values.length)] ?? values[0];
}

/** Mostly short, sometimes up to `longestMs`. */
function span(chance: Chance, longestMs: number): number {
  return Math.round(chance() ** 3 * longestMs);
}

function drawn(kind: FaultKind, when: number, chance: Chance): Fault {
  const base = { at: when };
  switch (kind) {
    case 'kill':
      return { ...base, kind, downMs: span(chance, 5 * MINUTE_MS) };
    case 'kill_in_commit': {
      const part = pick(chance, ['journal', 'outputs', 'feed', 'feed', 'checkpoints', 'calls'] as const);
      return { ...base, kind, part, downMs: span(chance, MINUTE_MS) };
    }
    case 'refused_writes':
      return {
        ...base,
        kind,
        forMs: span(chance, 3 * MINUTE_MS),
        why: pick(chance, ['STORE_FULL', 'STORE_WRITE']),
      };
    case 'slow_disk':
      return {
        ...base,
        kind,
        forMs: span(chance, 3 * MINUTE_MS),
        commitMs: Math.round(300 + chance() * 4_700),
      };
    case 'stalled_readers':
      return { ...base, kind, forMs: span(chance, 3 * MINUTE_MS) };
    case 'cut_readers':
      return { ...base, kind };
    case 'dropped_socket':
      return { ...base, kind, socket: pick(chance, ['book', 'crypto']) };
    case 'silent_socket':
      return {
        ...base,
        kind,
        forMs: span(chance, 3 * MINUTE_MS),
        socket: pick(chance, ['book', 'crypto']),
        answersPings: chance() < 0.5,
      };
    case 'spoiled_answers': {
      const status = pick(chance, [429, 500, 502, 503]);
      return {
        ...base,
        kind,
        role: pick(chance, [
          'posts',
          'posts',
          'oracle',
          'market',
          'book',
          'crypto',
          'bookSocket',
          'cryptoSocket',
        ] as const),
        how: pick(chance, [
          'status',
          'status',
          'html',
          'truncated',
          'wrong-types',
          'slow',
          'hang',
          'reset',
        ] as const),
        times: 1 + span(chance, 20),
        status,
        retryAfter:
          status === 429 || status === 503 ? pick(chance, [null, '0', '1', '20', 'soon', '-5']) : null,
        delayMs: Math.round(chance() * 12_000),
      };
    }
    case 'frozen_process':
      return { ...base, kind, forMs: Math.round(5_000 + chance() * 115_000) };
    case 'set_calendar': {
      const spanMs = span(chance, 24 * HOUR_MS);
      const byMs = chance() < 0.5 ? spanMs : 0 - spanMs;
      return { ...base, kind, byMs, forMs: span(chance, 20 * MINUTE_MS) };
    }
    case 'failing_workers':
      return { ...base, kind, how: pick(chance, ['silent', 'late', 'crash']), times: 1 + span(chance, 4) };
    case 'troubled_facilitator':
      return {
        ...base,
        kind,
        role: chance() < 0.8 ? 'facilitator' : 'chain',
        how: pick(chance, [
          'refuse',
          'busy',
          'pending',
          'no-hash',
          'lose',
          'lose',
          'cancelled',
          'invalid',
          'status',
          'html',
          'truncated',
          'wrong-types',
          'slow',
          'hang',
          'reset',
        ] as const),
        times: 1 + span(chance, 6),
        status: pick(chance, [429, 500, 503]),
        delayMs: Math.round(chance() * 60_000),
      };
    case 'kill_after_payment':
      return {
        ...base,
        kind,
        downMs: span(chance, MINUTE_MS),
        state: pick(chance, ['RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'UNKNOWN'] as const),
      };
    case 'late_post':
      return { ...base, kind, account: pick(chance, ['a', 'b']), backMs: span(chance, 2 * HOUR_MS) };
  }
}
