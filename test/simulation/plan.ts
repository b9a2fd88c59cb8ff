import * as z from 'zod';
import { type Chance, chanceOf } from './chance.ts';

const at = z.number().min(0);
const forMs = z.number().min(0);
const downMs = z.number().min(0);
const afterMs = z.number().min(0);
const account = z.enum(['a', 'b']);
const socket = z.enum(['book', 'crypto']);
/** Which of several, as a share of them: the same for any number of them. */
const share = z.number().min(0).lt(1);

/** The hosts whose answers are spoiled. */
const ROLES = ['posts', 'oracle', 'market', 'book', 'crypto'] as const;
/** Ways to spoil an answer of a host. */
const ANSWER_KINDS = [
  'no_answer',
  'slow_answer',
  'refused_connection',
  'reset_in_body',
  'dripping_body',
  'error_status',
  'block_of_error_statuses',
  'too_many_requests',
  'html_answer',
  'half_answer',
  'wrong_types',
  'odd_element',
  'future_post',
  'long_id',
  'future_time',
  'huge_answer',
  'short_page',
  'empty_page',
  'old_answer',
  'nonsense_prices',
] as const;
type AnswerKind = (typeof ANSWER_KINDS)[number];

const WORKER_KINDS = ['silent_worker', 'late_worker', 'crashing_worker'] as const;
const DISK_KINDS = ['full_disk', 'failing_disk'] as const;
/** What a facilitator, or the node of its chain, does with a payment. */
const TROUBLES = [
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
] as const;
const PAYMENT_STATES = ['RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'UNKNOWN'] as const;
const REFUSALS = ['STORE_FULL', 'STORE_WRITE'] as const;
const PARTS = ['journal', 'outputs', 'feed', 'checkpoints', 'calls', 'usage'] as const;

/** What goes wrong, and when, in virtual ms. */
const fault = z.discriminatedUnion('kind', [
  /** The next answers of a host are spoiled. */
  z.object({
    kind: z.literal(ANSWER_KINDS),
    at,
    role: z.enum(ROLES),
    times: z.int().min(1),
    status: z.int(),
    /** What the header says; null for none. */
    retryAfter: z.string().nullable(),
    /** The same as a date so long after the fault begins; null for none. */
    retryDateMs: z.number().nullable(),
    /** Before the answer, or before each piece of it. */
    delayMs: z.number().min(0),
  }),
  /** The next answers about what a wallet holds. */
  z.object({
    kind: z.literal('failing_positions'),
    at,
    how: z.enum([
      'status',
      'html',
      'truncated',
      'wrong-types',
      'odd-element',
      'empty',
      'slow',
      'hang',
      'reset',
    ]),
    times: z.int().min(1),
  }),
  /** A post appears that is dated back. */
  z.object({ kind: z.literal('late_post'), at, account, backMs: z.number().min(0) }),
  /** The same, dated to ms around the edge of a window. */
  z.object({
    kind: z.literal('post_at_edge'),
    at,
    share,
    edge: z.enum(['start', 'end']),
    byMs: z.int().min(-1).max(1),
  }),
  /** A post appears, and is deleted, perhaps before anybody has seen it. */
  z.object({ kind: z.literal('deleted_post'), at, account, afterMs }),
  z.object({ kind: z.literal('edited_post'), at, account, afterMs }),
  /** A post appears, and is one of another kind later, which counts or does not. */
  z.object({
    kind: z.literal('changed_flag'),
    at,
    account,
    afterMs,
    from: z.enum(['original', 'reply']),
    to: z.enum(['quote', 'reply', 'communityRepost']),
  }),
  /** The oracle counts so many more than before, or fewer. */
  z.object({ kind: z.literal(['oracle_back', 'oracle_jump']), at, forMs, share, by: z.int().min(1) }),
  z.object({ kind: z.literal('frozen_oracle'), at, forMs, account }),
  z.object({
    kind: z.literal('changed_buckets'),
    at,
    forMs,
    share,
    bucketWidth: z.int().min(1),
    bucketCount: z.int().min(3).max(45),
  }),
  z.object({ kind: z.literal('moved_window'), at, forMs, share, startByMs: z.number(), endByMs: z.number() }),
  z.object({ kind: z.literal('closed_event'), at, forMs, share }),
  z.object({ kind: z.literal('dropped_socket'), at, socket }),
  z.object({ kind: z.literal('silent_socket'), at, forMs, socket, answersPings: z.boolean() }),
  z.object({
    kind: z.literal('refused_handshake'),
    at,
    role: z.enum(['bookSocket', 'cryptoSocket']),
    how: z.enum(['status', 'slow', 'hang']),
    times: z.int().min(1),
    status: z.int(),
    retryAfter: z.string().nullable(),
    delayMs: z.number().min(0),
  }),
  z.object({ kind: z.literal('garbage_frame'), at, socket, text: z.string() }),
  z.object({ kind: z.literal('set_calendar'), at, forMs, byMs: z.number() }),
  /** A process gets no time, as on a machine that is overloaded or was stopped. */
  z.object({ kind: z.literal('frozen_process'), at, forMs }),
  z.object({ kind: z.literal(DISK_KINDS), at, forMs }),
  z.object({ kind: z.literal('slow_disk'), at, forMs, commitMs: z.number().min(0) }),
  /** The engine is killed, and started again after a while. */
  z.object({ kind: z.literal('kill'), at, downMs }),
  /** The same before the first event during which the disk writes this part. */
  z.object({ kind: z.literal('kill_in_commit'), at, downMs, part: z.enum(PARTS) }),
  /** The same while the disk refuses writes, which it goes on with for a while. */
  z.object({ kind: z.literal('restart_on_refusing_disk'), at, downMs, forMs, why: z.enum(REFUSALS) }),
  /** The next requests to the simulators go wrong. */
  z.object({ kind: z.literal(WORKER_KINDS), at, times: z.int().min(1) }),
  /** The connections of readers break, each after so many bytes. */
  z.object({ kind: z.literal('cut_readers'), at, bytes: z.int().min(0) }),
  /** Further readers connect at once, and are gone after a while. */
  z.object({ kind: z.literal('storm_of_readers'), at, forMs, readers: z.int().min(1) }),
  /** Nothing that the engine sends its readers arrives for a while. */
  z.object({ kind: z.literal('stalled_readers'), at, forMs }),
  /** The facilitator, or the node of its chain, treats the next payments in a way of its own. */
  z.object({
    kind: z.literal('troubled_facilitator'),
    at,
    role: z.enum(['facilitator', 'chain']),
    how: z.enum(TROUBLES),
    times: z.int().min(1),
    status: z.int(),
    delayMs: z.number().min(0),
  }),
  /** The engine is killed right after a payment is on disk in this state. */
  z.object({
    kind: z.literal('kill_after_payment'),
    at,
    downMs: forMs,
    state: z.enum(PAYMENT_STATES),
  }),
]);

export type Fault = z.infer<typeof fault>;
export type FaultKind = Fault['kind'];
export type AnswerFault = Extract<Fault, { readonly kind: AnswerKind }>;

/** In the order in which they are reported. */
export const FAULT_KINDS: readonly FaultKind[] = fault.options.flatMap(({ shape }) => [...shape.kind.values]);

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

/** How many hours a simulation takes in which faults go on until `at` and a little longer; hundredths. */
export function hoursUntil(at: number): number {
  const hour = Math.floor(at / HOUR_MS);
  const share = ((at + MINUTE_MS) / HOUR_MS - hour) / FAULTS_SHARE;
  return Math.ceil((hour + Math.min(1, share)) * 100) / 100;
}

/** The share of the seeds that have none of a kind. */
const OFF_SHARE = 0.25;
/** How often a kind happens in an hour at most. With half of it in most seeds, 300 hours have more than 1,000 of each. */
const MOST_PER_HOUR = 12;

const HOURS_PER_BAD_HOUR = 48;

/** The first hour has faults, and then one of each further two days: between them days pass quickly, and much is forgotten. */
function isBadHour(seed: number, hour: number): boolean {
  const pair = Math.floor(hour / HOURS_PER_BAD_HOUR);
  const share = pair === 0 ? 0 : chanceOf(seed, `bad hour of two days ${pair}`)();
  return hour % HOURS_PER_BAD_HOUR === Math.floor(share * HOURS_PER_BAD_HOUR);
}

/** As `planOf`, for days: most of their hours have no faults. */
export function planOfDays(seed: number, hours: number): Plan {
  return planOf(seed, hours).filter(({ at }) => isBadHour(seed, Math.floor(at / HOUR_MS)));
}

/** Whether it is the first hour, or one with faults. */
export function createBadHours(faults: Plan): (hour: number) => boolean {
  const bad = new Set([0, ...faults.map(({ at }) => Math.floor(at / HOUR_MS))]);
  return (hour) => bad.has(hour);
}

/** Which kinds happen at all, and how often, differs from seed to seed: what is rare beside others comes out alone. */
export function planOf(seed: number, hours: number): Plan {
  const faults: Fault[] = [];
  for (const kind of FAULT_KINDS) {
    const rate = chanceOf(seed, `rate of ${kind}`);
    const isOff = rate() < OFF_SHARE;
    const perHour = isOff ? 0 : rate() * MOST_PER_HOUR;
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

/** From `least` up to `most`, both included. */
function whole(chance: Chance, least: number, most: number): number {
  return least + Math.floor(chance() * (most - least + 1));
}

/** Every form that a Retry-After was seen in, and some that it must not have. */
const RETRY_AFTERS = [
  null,
  '0',
  '1',
  '20',
  '90',
  'soon',
  '-5',
  '1.5',
  '',
  '999999999',
  '99999999999',
] as const;
const GARBAGE = [
  '',
  'null',
  '{"event_type":',
  '[]',
  '[[[]]]',
  '{"event_type":"book","asset_id":"1","bids":[{"price":"2","size":"-1"}],"asks":[],"timestamp":"x"}',
  '{"event_type":"price_change","price_changes":[{"asset_id":"1","price":"NaN","size":"1e999","side":"BUY"}]}',
  '{"e":"24hrMiniTicker","E":-1,"s":"BTCUSDT","c":"-7"}',
  `"${'x'.repeat(100_000)}"`,
] as const;

function drawnRole(kind: AnswerKind, chance: Chance): AnswerFault['role'] {
  if (kind === 'future_post' || kind === 'long_id') return pick(chance, ['posts', 'oracle']);
  if (kind === 'nonsense_prices') return pick(chance, ['book', 'market', 'crypto']);
  return pick(chance, ['posts', ...ROLES]);
}

function drawnAnswer(kind: AnswerKind, when: number, chance: Chance): AnswerFault {
  const isBusy = kind === 'too_many_requests';
  const hasDate = isBusy && chance() < 0.25;
  return {
    kind,
    at: when,
    role: drawnRole(kind, chance),
    times: kind === 'block_of_error_statuses' ? whole(chance, 5, 40) : 1 + span(chance, 6),
    status: isBusy ? 429 : pick(chance, [500, 502, 503, 504]),
    retryAfter: isBusy && !hasDate ? pick(chance, RETRY_AFTERS) : null,
    retryDateMs: hasDate ? whole(chance, -30_000, 90_000) : null,
    delayMs: kind === 'dripping_body' ? whole(chance, 10, 1_000) : whole(chance, 1_000, 15_000),
  };
}

function drawn(kind: FaultKind, when: number, chance: Chance): Fault {
  const base = { at: when };
  switch (kind) {
    case 'failing_positions':
      return {
        ...base,
        kind,
        how: pick(chance, [
          'status',
          'html',
          'truncated',
          'wrong-types',
          'odd-element',
          'empty',
          'slow',
          'hang',
          'reset',
        ]),
        times: 1 + span(chance, 6),
      };
    case 'late_post':
      return { ...base, kind, account: pick(chance, ['a', 'b']), backMs: span(chance, 2 * HOUR_MS) };
    case 'post_at_edge':
      return {
        ...base,
        kind,
        share: chance(),
        edge: pick(chance, ['start', 'end']),
        byMs: whole(chance, -1, 1),
      };
    case 'deleted_post':
    case 'edited_post':
      return { ...base, kind, account: pick(chance, ['a', 'b']), afterMs: span(chance, 20 * MINUTE_MS) };
    case 'changed_flag':
      return {
        ...base,
        kind,
        account: pick(chance, ['a', 'b']),
        afterMs: span(chance, 20 * MINUTE_MS),
        from: pick(chance, ['original', 'reply']),
        to: pick(chance, ['quote', 'reply', 'communityRepost']),
      };
    case 'oracle_back':
    case 'oracle_jump':
      return {
        ...base,
        kind,
        forMs: span(chance, 10 * MINUTE_MS),
        share: chance(),
        by: 1 + span(chance, 300),
      };
    case 'frozen_oracle':
      return { ...base, kind, forMs: span(chance, 20 * MINUTE_MS), account: pick(chance, ['a', 'b']) };
    case 'changed_buckets':
      return {
        ...base,
        kind,
        forMs: span(chance, 10 * MINUTE_MS),
        share: chance(),
        bucketWidth: whole(chance, 1, 100),
        bucketCount: whole(chance, 3, 45),
      };
    case 'moved_window':
      return {
        ...base,
        kind,
        forMs: span(chance, 10 * MINUTE_MS),
        share: chance(),
        startByMs: whole(chance, -12, 12) * HOUR_MS,
        endByMs: whole(chance, -12, 12) * HOUR_MS,
      };
    case 'closed_event':
      return { ...base, kind, forMs: span(chance, 10 * MINUTE_MS), share: chance() };
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
    case 'refused_handshake':
      return {
        ...base,
        kind,
        role: pick(chance, ['bookSocket', 'cryptoSocket']),
        how: pick(chance, ['status', 'status', 'slow', 'hang']),
        times: 1 + span(chance, 6),
        status: pick(chance, [429, 502, 503]),
        retryAfter: pick(chance, RETRY_AFTERS),
        delayMs: whole(chance, 1_000, 15_000),
      };
    case 'garbage_frame':
      return { ...base, kind, socket: pick(chance, ['book', 'crypto']), text: pick(chance, GARBAGE) };
    case 'set_calendar': {
      const spanMs = span(chance, 24 * HOUR_MS);
      const byMs = chance() < 0.5 ? spanMs : 0 - spanMs;
      return { ...base, kind, byMs, forMs: span(chance, 20 * MINUTE_MS) };
    }
    case 'frozen_process':
      return { ...base, kind, forMs: whole(chance, 5_000, 120_000) };
    case 'full_disk':
    case 'failing_disk':
      return { ...base, kind, forMs: span(chance, 3 * MINUTE_MS) };
    case 'slow_disk':
      return { ...base, kind, forMs: span(chance, 3 * MINUTE_MS), commitMs: whole(chance, 300, 5_000) };
    case 'kill':
      return { ...base, kind, downMs: span(chance, 5 * MINUTE_MS) };
    case 'kill_in_commit':
      return {
        ...base,
        kind,
        part: pick(chance, ['feed', ...PARTS] as const),
        downMs: span(chance, MINUTE_MS),
      };
    case 'restart_on_refusing_disk': {
      const spanMs = span(chance, MINUTE_MS);
      return {
        ...base,
        kind,
        downMs: spanMs,
        forMs: spanMs + span(chance, MINUTE_MS),
        why: pick(chance, REFUSALS),
      };
    }
    case 'silent_worker':
    case 'late_worker':
    case 'crashing_worker':
      return { ...base, kind, times: 1 + span(chance, 4) };
    case 'cut_readers':
      return { ...base, kind, bytes: span(chance, 200_000) };
    case 'storm_of_readers':
      return { ...base, kind, forMs: span(chance, MINUTE_MS), readers: whole(chance, 2, 6) };
    case 'stalled_readers':
      return { ...base, kind, forMs: span(chance, 3 * MINUTE_MS) };
    case 'troubled_facilitator':
      return {
        ...base,
        kind,
        role: chance() < 0.8 ? 'facilitator' : 'chain',
        how: pick(chance, ['lose', ...TROUBLES] as const),
        times: 1 + span(chance, 6),
        status: pick(chance, [429, 500, 503]),
        delayMs: Math.round(chance() * 60_000),
      };
    case 'kill_after_payment':
      return {
        ...base,
        kind,
        downMs: span(chance, MINUTE_MS),
        state: pick(chance, PAYMENT_STATES),
      };
    default:
      return drawnAnswer(kind, when, chance);
  }
}
