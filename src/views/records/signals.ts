import {
  type Bettor,
  confidenceIn,
  costOfShare,
  DAY_MS,
  type EventRecord,
  type EventSignals,
  expectedValue,
  isListed,
  type SizedBet,
  type SizedOrder,
  type SizedSignal,
  sizedSignals,
  skipStale,
} from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type {
  buyNoRecord,
  buyOrderRecord,
  signalRecord,
  signalsRecord,
} from '../../contract/records/signals.ts';
import type { AccountPath } from '../account-path.ts';
import { type ActiveEvent, forecastOf, movedByEvents, postEvents } from '../active-events.ts';
import { type Ages, closeRecords, newest, type Origin, openRecord, staleNow } from '../as-of.ts';
import type { Audience } from '../audience.ts';
import { type Latest, NEWEST_POSTS, type OutputOf } from '../latest.ts';
import { trackToWire } from '../performance/track-records.ts';
import { strategyRates, type WinRates } from '../performance/win-rates.ts';
import type { Moment, RecordView } from '../record-view.ts';
import { round4 } from '../round.ts';
import type { Crossing } from './crossing-text.ts';
import { crossingsOf } from './crossings.ts';
import { reasonsOf } from './signal-reasons.ts';

/** Raised whenever stored signals change their form. */
const FACTS_FORM = 5;

/** An event's signals at one instant, for any bankroll. The feed stores them as JSON. */
interface SignalFacts {
  readonly event: Pick<EventRecord, 'eventId' | 'title' | 'slug' | 'endAt'>;
  /** Absent for an event that opened in this very turn. */
  readonly signals?: EventSignals;
  readonly crossings: readonly Crossing[];
  readonly rates: Pick<WinRates, 'byStrategy'>;
  readonly origin: Origin;
}

/** Posts of the history are read for hours at a first start, and the oracle is not about to count them. */
function isNews({ record, at }: OutputOf<'posts'>): boolean {
  return record.createdAt > at - DAY_MS;
}

/** What to buy and sell of each active event: GET /signals/{account} and the channel `signals`. */
export function signalsView(account: AccountPath): RecordView {
  const events = postEvents(account);
  const ratesOf = createRates(account);
  const bettorOf = ({ bankrollUsd, includesUnproven }: Audience): Bettor => ({
    bankrollUsd,
    includesUnproven,
    isBuyOnly: account.policy.isBuyOnly,
  });

  function factsOf({ latest, late }: Moment, event: ActiveEvent): SignalFacts {
    const { eventId, title, slug, endAt } = event.record;
    const output = latest.get('signals', event.key);
    const counters = latest.get('counters', event.key);
    const lag = latest.get('lag', account.id);
    const velocity = latest.get('velocity', account.id);
    const prediction = forecastOf(latest, event);
    // Without a lead nothing is said of single posts.
    const isAhead = (counters?.record.settlementDelta ?? 0) > 0;
    const posts = isAhead ? latest.posts(account.id).slice(0, NEWEST_POSTS).filter(isNews) : [];
    const { seq, at } = newest(event, output, counters, lag, velocity, prediction, ...posts);
    const signals = output && skipStale(output.record, staleNow([], late));
    return {
      event: { eventId, title, slug, endAt },
      ...(signals && { signals }),
      crossings:
        signals && counters
          ? crossingsOf({
              // Time goes on with the values, of which one changes each minute: the same values say the same.
              now: at,
              event: event.record,
              signals,
              counters: counters.record,
              lag: lag?.record,
              velocity: velocity?.record,
              prediction: prediction?.record,
              posts: posts.map(({ record }) => record),
            })
          : [],
      rates: { byStrategy: ratesOf(latest) },
      origin: { seq, at },
    };
  }

  return {
    audiences: 'bankroll',
    listsStale: true,
    hasAsOf: true,
    eventsAbout: 'posts',
    movedBy: {
      events: movedByEvents,
      signals: ({ key, record }) => (record.account === account.id ? [key] : undefined),
      counters: ({ key, record }) => (record.account === account.id ? [key] : undefined),
      // Forecasts to be scored have other keys and are not shown.
      predictions: ({ key, record }) =>
        record.account === account.id && key === String(record.eventId) ? [key] : undefined,
      lag: ({ record }) => (record.account === account.id ? events.keys : undefined),
      velocity: ({ record }) => (record.account === account.id ? events.keys : undefined),
      posts: (output) => (output.record.account === account.id && isNews(output) ? events.keys : undefined),
      scores: ({ record }) => (record.account === account.id ? events.keys : undefined),
    },
    alsoReads: ['decisions'],
    keys: events.keys,
    render(moment, key, audience) {
      const event = events.find(moment.latest, key);
      if (event === undefined) return undefined;
      const { origin, ...facts } = factsOf(moment, event);
      const fields = signalsToWire(facts, bettorOf(audience));
      const isActionable = fields.signals.some(({ action }) => action === 'BUY' || action === 'SELL');
      if (!isActionable && audience.isOnlyWithSignals) return undefined;
      const text = openRecord(fields, origin);
      return () => text;
    },
    facts: {
      write(moment, key, ages) {
        const event = events.find(moment.latest, key);
        return event && JSON.stringify({ form: FACTS_FORM, ...factsOf(moment, event), ages });
      },
      render(text, audience) {
        // Only `write` makes such texts.
        const stored = JSON.parse(text) as SignalFacts & { form?: number; ages: Ages };
        const { form, event, rates, origin, ages } = stored;
        // A frame that an earlier version stored has an event without signals.
        const facts = form === FACTS_FORM ? stored : { event, rates, crossings: [] };
        const fields = signalsToWire(facts, bettorOf(audience));
        return closeRecords([openRecord(fields, origin)], () => ages).slice(1, -1);
      },
    },
  };
}

/** Computes the win rates once per turn, as every event and audience needs them. */
function createRates({ id }: AccountPath): (latest: Latest) => WinRates['byStrategy'] {
  let made:
    | { readonly latest: Latest; readonly seq: number; readonly rates: WinRates['byStrategy'] }
    | undefined;
  return (latest) => {
    if (made?.latest !== latest || made.seq !== latest.seq) {
      made = { latest, seq: latest.seq, rates: strategyRates(latest, id) };
    }
    return made.rates;
  };
}

/** A win rate from fewer decisions is not published. */
const LEAST_SAMPLE = 30;

/** An event's signals for one caller (spec 2.5). */
function signalsToWire(
  { event, signals: record, crossings, rates }: Omit<SignalFacts, 'origin'>,
  bettor: Bettor,
): RecordOf<typeof signalsRecord> {
  const { eventId: event_id, title: event_title, slug: event_slug, endAt: end_ts } = event;
  const head = { event_id, event_title, event_slug, end_ts };
  if (record === undefined) return { ...head, ...NO_SIGNALS };
  const { signals, buy, sells } = sizedSignals(record, bettor);
  return {
    ...head,
    forecast_id: record.forecastId,
    p50: record.p50,
    stale: record.stale,
    proven: record.track.isProven,
    track_record: trackToWire(record.horizonHours, record.track),
    signals: signals.filter(isListed).map((signal) => signalToWire(signal, record, bettor)),
    BUY: buy === null ? [] : [buyToWire(buy, rates)],
    SELL: sells.map((signal) => ({
      strategy: 'RISK_MANAGEMENT',
      bucket: signal.title,
      token_id: signal.token,
      edge: signal.edge,
      limit_price: round4(signal.limitPrice),
      available_usd: signal.availableUsd,
      buy_no: noToWire(signal),
    })),
    crossings,
  };
}

/** For an event that opened in this very turn. */
const NO_SIGNALS = {
  forecast_id: null,
  p50: null,
  stale: [],
  proven: false,
  track_record: null,
  signals: [],
  BUY: [],
  SELL: [],
  crossings: [],
};

function signalToWire(
  signal: SizedSignal,
  record: EventSignals,
  { bankrollUsd }: Bettor,
): RecordOf<typeof signalRecord> {
  const { prob, price, edge } = signal;
  return {
    bucket: signal.title,
    token_id: signal.token,
    action: signal.action,
    strategy: signal.strategy,
    model_prob: prob,
    market_price: price,
    edge,
    edge_net: signal.edgeNet,
    ev: edge === null || prob === null || price === null ? null : round4(expectedValue(prob, price)),
    kelly_fraction: signal.fraction,
    suggested_bet: signal.betUsd,
    kelly_full: round4(signal.kelly),
    limit_price: round4(signal.limitPrice),
    available_usd: signal.availableUsd,
    cut: cutsToWire(signal),
    proven: record.track.isProven,
    confidence: confidenceIn(record.track),
    moneyness: signal.moneyness,
    time_confidence: record.timeConfidence,
    asymmetry_edge: record.asymmetry,
    best_bid: signal.bid,
    best_ask: signal.ask,
    bid_size: round4(signal.bidSize),
    ask_size: round4(signal.askSize),
    fee_rate: signal.fee.rate,
    buy_no: noToWire(signal),
    reason_codes: signal.codes,
    reasons: reasonsOf(signal, record),
    bankroll: bankrollUsd,
  };
}

function cutsToWire({ cuts }: SizedBet): RecordOf<typeof signalRecord>['cut'] {
  return cuts.map(({ by, fraction }) => ({ by, fraction: round4(fraction) ?? 0 }));
}

function noToWire({
  noToken,
  prob,
  noKelly,
  fee,
  no: bet,
}: SizedSignal): RecordOf<typeof buyNoRecord> | null {
  if (bet === null || bet.limitPrice === null || prob === null) return null;
  return {
    token_id: noToken,
    model_prob: round4(1 - prob) ?? 0,
    edge_net: round4(1 - prob - costOfShare(bet.limitPrice, fee)) ?? 0,
    kelly_full: round4(noKelly) ?? 0,
    limit_price: round4(bet.limitPrice) ?? 0,
    available_usd: bet.availableUsd,
    kelly_fraction: bet.fraction,
    suggested_bet: bet.betUsd,
    cut: cutsToWire(bet),
  };
}

function buyToWire(
  { strategy, stakeFraction, stakeUsd, legs }: SizedOrder,
  { byStrategy }: Pick<WinRates, 'byStrategy'>,
): RecordOf<typeof buyOrderRecord> {
  const { percent, sampleSize, nUnproven } = byStrategy[strategy];
  return {
    strategy,
    buckets: legs.map(({ signal }) => signal.title),
    token_ids: legs.map(({ signal }) => signal.token),
    stake_fraction: stakeFraction,
    stake_usd: stakeUsd,
    stakes_usd: legs.map((leg) => leg.stakeUsd),
    measured_win_rate: sampleSize < LEAST_SAMPLE ? null : round4(percent),
    sample_size: sampleSize,
    n_unproven: nUnproven,
  };
}
