import { merge, type Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { flipRisk } from '../model/flip-risk.ts';
import { horizonAt, horizonsOf } from '../model/horizons.ts';
import { isSame } from '../model/is-same.ts';
import { sha256 } from '../model/sha256.ts';
import type { AccountId, ForecastFact, Observation } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type {
  Cause,
  EventRecord,
  OutputOf,
  Percentiles,
  PredictedBucket,
  Prediction,
  Price,
  Range,
} from '../records.ts';
import type { CountersChange } from './counters.ts';
import { rangesOf } from './forecast-state.ts';

/** An event's place in the ledger is forgotten this long after its end; its rows stay in the store. */
const KEEP_MS = 800 * DAY_MS;
/** A forecast stands for a horizon when it was made within this time after it. */
const HORIZON_SLACK_MS = 10 * 60_000;

interface ListedBucket extends Range {
  readonly token: string;
}

interface LedgerEvent {
  /** Empty unless they are a partition, and once no more row of it can come. */
  buckets: readonly ListedBucket[];
  startAt: number | null;
  endAt: number;
  /** When window or buckets last changed: what was asked before is about something else. */
  changedSeq: number;
  /** The newest live forecast's. */
  askedSeq: number;
  readonly prices: Map<string, Pick<Price, 'price' | 'priceKind'>>;
  rows: readonly number[];
}

export interface LedgerState {
  arePricesStale: boolean;
  oracleLag: Percentiles | null;
  readonly events: Map<number, LedgerEvent>;
}

export type LedgerMessage =
  | Observation
  | CountersChange
  | OutputOf<'events'>
  | OutputOf<'prices'>
  | OutputOf<'lag'>;

/** Turns the model's answers into rows that are never edited, with the market's prices of that instant. */
export function ledger(
  observation$: Observable<Observation>,
  event$: Observable<OutputOf<'events'>>,
  counters$: Observable<CountersChange>,
  price$: Observable<OutputOf<'prices'>>,
  lag$: Observable<OutputOf<'lag'>>,
  states: ActorStates<LedgerState>,
  onFailure: (failure: ActorFailure<LedgerMessage>) => void,
): Observable<OutputOf<'predictions'>> {
  return merge(event$, counters$, price$, lag$, observation$).pipe(
    actors<LedgerMessage, LedgerState, OutputOf<'predictions'>>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'ledger',
  address: (message: LedgerMessage): readonly AccountId[] | 'everyone' => {
    if ('output' in message) return [message.output.record.account];
    if ('fact' in message) return message.fact.kind === 'forecast' ? [message.fact.account] : [];
    if (message.stream === 'prices') return 'everyone';
    if (message.stream === 'lag') return [message.record.account];
    const { subject } = message.record;
    return subject.type === 'posts' ? [subject.account] : [];
  },
  spawn: (): LedgerState => ({ arePricesStale: true, oracleLag: null, events: new Map() }),
  receive,
};

function receive(
  state: LedgerState,
  message: LedgerMessage,
  emit: (output: OutputOf<'predictions'>) => void,
): void {
  if ('output' in message) {
    // Told of open events only, and the same of each.
    if (message.event.phase === 'active')
      state.arePricesStale = message.output.record.stale.includes('prices');
  } else if ('fact' in message) {
    if (message.fact.kind === 'forecast') publish(state, message, message.fact, emit);
  } else if (message.stream === 'events') {
    list(state, message);
  } else if (message.stream === 'lag') {
    state.oracleLag = message.record.oracle;
  } else {
    const { eventId, token, price, priceKind } = message.record;
    state.events.get(eventId)?.prices.set(token, { price, priceKind });
  }
}

function list({ events }: LedgerState, { seq, at, record }: OutputOf<'events'>): void {
  const { eventId, startAt, endAt, phase } = record;
  const known = events.get(eventId);
  const rows = known?.rows ?? [];
  const buckets = record.isPartition && !isComplete({ startAt, endAt, rows }, at) ? listed(record) : [];
  const isUnchanged =
    known !== undefined &&
    known.startAt === startAt &&
    known.endAt === endAt &&
    isSame(known.buckets, buckets);
  events.set(eventId, {
    buckets,
    startAt,
    endAt,
    changedSeq: isUnchanged ? known.changedSeq : seq,
    askedSeq: known?.askedSeq ?? 0,
    // Nobody trades what is over.
    prices: phase === 'closed' ? new Map() : (known?.prices ?? new Map()),
    rows,
  });
  for (const [eventId, { endAt }] of events) if (endAt < at - KEEP_MS) events.delete(eventId);
}

function listed({ buckets }: EventRecord): readonly ListedBucket[] {
  return rangesOf(buckets).map((range, index) => ({ ...range, token: buckets[index]?.yesToken ?? '' }));
}

function publish(
  state: LedgerState,
  { seq, receivedAt: at }: Observation,
  fact: ForecastFact,
  emit: (output: OutputOf<'predictions'>) => void,
): void {
  const { eventId, askedSeq, origin, horizonHours, inputs, forecast } = fact;
  const event = state.events.get(eventId);
  if (event === undefined || askedSeq < event.changedSeq || event.endAt !== inputs.endAt) return;
  if (event.buckets.length === 0 || event.buckets.length !== forecast.bucketProbs.length) return;

  const write = (hours: number | null) => {
    const key = hours === null ? String(eventId) : `${eventId}@${hours}`;
    const record = rowOf(state, event, fact, hours);
    emit({ stream: 'predictions', key, seq, at, cause: causeOf(fact), record });
    if (hours !== null) event.rows = [...event.rows, hours];
  };
  if (origin === 'history') {
    if (horizonHours !== null && !event.rows.includes(horizonHours)) write(horizonHours);
  } else if (askedSeq > event.askedSeq) {
    event.askedSeq = askedSeq;
    write(null);
    for (const hours of horizonsDue(event, inputs.now)) write(hours);
  }
  if (isComplete(event, at)) event.buckets = [];
}

/** Its window is over and every horizon has its row. */
function isComplete(
  { startAt, endAt, rows }: Pick<LedgerEvent, 'startAt' | 'endAt' | 'rows'>,
  at: number,
): boolean {
  return at >= endAt && horizonsOf(startAt ?? endAt, endAt).every((hours) => rows.includes(hours));
}

/** The horizons that a live forecast made at `madeAt` is the first to stand for. */
function horizonsDue({ startAt, endAt, rows }: LedgerEvent, madeAt: number): readonly number[] {
  return horizonsOf(startAt ?? endAt, endAt).filter((hours) => {
    const dueAt = horizonAt(endAt, hours);
    return !rows.includes(hours) && madeAt >= dueAt && madeAt < dueAt + HORIZON_SLACK_MS;
  });
}

function rowOf(
  state: LedgerState,
  event: LedgerEvent,
  fact: ForecastFact,
  horizonHours: number | null,
): Prediction {
  const { eventId, account, askedSeq, origin, seed, inputs, forecast, pace, sleepProbability, moved } = fact;
  const isLive = origin === 'live';
  const row: Omit<Prediction, 'hash'> = {
    forecastId: isLive ? `${eventId}-${askedSeq}` : `${eventId}@${horizonHours}`,
    eventId,
    account,
    origin,
    horizonHours,
    modelVersion: inputs.version,
    seed,
    askedSeq,
    madeAt: inputs.now,
    endAt: inputs.endAt,
    count: inputs.count,
    p5: forecast.p5,
    p50: forecast.p50,
    p95: forecast.p95,
    quantiles: forecast.quantiles,
    paceP50: pace.p50,
    paceQuantiles: pace.quantiles,
    buckets: bucketsOf(event, fact, isLive && !state.arePricesStale),
    sleepProbability,
    // The lag of today says nothing about a close of long ago.
    flipRisk: isLive ? flipRisk(inputs, forecast, pace, event.buckets, state.oracleLag) : null,
    moved,
  };
  return { ...row, hash: sha256(JSON.stringify(row)) };
}

function bucketsOf(
  { buckets, prices }: LedgerEvent,
  { forecast, pace }: ForecastFact,
  hasPrices: boolean,
): readonly PredictedBucket[] {
  return buckets.map(({ token, lo, hi }, index) => {
    const price = hasPrices ? prices.get(token) : undefined;
    return {
      lo,
      hi,
      prob: forecast.bucketProbs[index] ?? 0,
      paceProb: pace.bucketProbs[index] ?? 0,
      price: price?.price ?? null,
      priceKind: price?.priceKind ?? null,
    };
  });
}

/** What anyone can compute of a row to see that it is the one that was published. */
export function predictionHash({ hash: _published, ...row }: Prediction): string {
  return sha256(JSON.stringify(row));
}

/** What moved the median most; the clock when nothing did, the model when there was nothing to move. */
function causeOf({ moved }: ForecastFact): Cause {
  const [first, ...others] = moved;
  if (first === undefined) return 'model';
  const most = others.reduce((most, move) => (Math.abs(move.p50) > Math.abs(most.p50) ? move : most), first);
  return most.p50 === 0 ? 'clock' : most.cause;
}
