import {
  type Bettor,
  type EventRecord,
  type EventSignals,
  expectedValue,
  type SizedOrder,
  type SizedSignal,
  sizedSignals,
} from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type {
  buyOrderRecord,
  signalRecord,
  signalsRecord,
  trackRecord,
} from '../../contract/records/signals.ts';
import type { WinRates } from '../performance/win-rates.ts';
import { round4 } from '../round.ts';
import { reasonsOf } from './signal-reasons.ts';

/** From so many on a share of wins says something. */
const LEAST_SAMPLE = 30;

/** An event's signals for one caller, under the names of spec 2.5. */
export function signalsToWire(
  event: Pick<EventRecord, 'eventId' | 'title' | 'slug' | 'endAt'>,
  record: EventSignals | undefined,
  bettor: Bettor,
  rates: Pick<WinRates, 'byStrategy'>,
): RecordOf<typeof signalsRecord> {
  const { eventId: event_id, title: event_title, slug: event_slug, endAt: end_ts } = event;
  const head = { event_id, event_title, event_slug, end_ts };
  if (record === undefined) return { ...head, ...UNHEARD_OF };
  const { signals, buy, sells } = sizedSignals(record, bettor);
  return {
    ...head,
    forecast_id: record.forecastId,
    p50: record.p50,
    stale: record.stale,
    proven: record.track.isProven,
    track_record: trackToWire(record),
    signals: signals.map((signal) => signalToWire(signal, record, bettor)),
    BUY: buy === null ? [] : [buyToWire(buy, rates)],
    SELL: sells.map(({ title, token, edge }) => ({
      strategy: 'RISK_MANAGEMENT',
      bucket: title,
      token_id: token,
      edge,
    })),
  };
}

/** An event of this very turn. */
const UNHEARD_OF = {
  forecast_id: null,
  p50: null,
  stale: [],
  proven: false,
  track_record: null,
  signals: [],
  BUY: [],
  SELL: [],
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
    confidence: record.track.confidence,
    moneyness: signal.moneyness,
    time_confidence: record.timeConfidence,
    asymmetry_edge: record.asymmetry,
    best_bid: signal.bid,
    best_ask: signal.ask,
    reason_codes: signal.codes,
    reasons: reasonsOf(signal, record),
    bankroll: bankrollUsd,
  };
}

function buyToWire(
  { strategy, stakeFraction, stakeUsd, legs }: SizedOrder,
  { byStrategy }: Pick<WinRates, 'byStrategy'>,
): RecordOf<typeof buyOrderRecord> {
  const { percent, sampleSize } = byStrategy[strategy];
  return {
    strategy,
    buckets: legs.map(({ signal }) => signal.title),
    token_ids: legs.map(({ signal }) => signal.token),
    stake_fraction: stakeFraction,
    stake_usd: stakeUsd,
    stakes_usd: legs.map((leg) => leg.stakeUsd),
    measured_win_rate: sampleSize < LEAST_SAMPLE ? null : round4(percent),
    sample_size: sampleSize,
  };
}

function trackToWire({ horizonHours, track }: EventSignals): RecordOf<typeof trackRecord> {
  return {
    horizon: horizonHours,
    sample_size: track.n,
    coverage90: round4(track.coverage),
    top_bucket_hit_rate: round4(track.hitRate),
    top_bucket_mean_prob: round4(track.meanTopProb),
    crps_difference_pace: round4(track.againstPace),
    log_score_difference_market: round4(track.againstMarket),
    market_sample_size: track.nMarket,
  };
}
