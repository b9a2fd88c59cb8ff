export { decodeState, encodeState, encodeStateBytes } from './checkpoint.ts';
export { emptyState, GRAPH_VERSION, type GraphState, graph, lastPassing } from './graph.ts';
export type { Action, ReasonCode } from './model/bucket-signal.ts';
export { DAY_MS, HOUR_MS, MINUTE_MS } from './model/durations.ts';
export {
  biasAt,
  biasFactors,
  type ClosedForecast,
  type MadeForecast,
  madeForecast,
} from './model/forecast/bias.ts';
export { fitModel } from './model/forecast/fit.ts';
export {
  type AccountNow,
  accountNow,
  type ForecastInputs,
  type ForecastWindow,
  inputsAt,
} from './model/forecast/inputs.ts';
export { paceFinalCount } from './model/forecast/pace.ts';
export { coldStart, MODEL, type ModelParams } from './model/forecast/params.ts';
export {
  bootstrapInterval,
  brier,
  bucketOf,
  contains,
  crps,
  distanceFromUniform,
  logScore,
  pit,
} from './model/forecast/scores.ts';
export { type AccountSeries, accountSeries, type Gap } from './model/forecast/series.ts';
export {
  type CountRange,
  type FinalCount,
  type Forecast,
  finalCount,
  forecastOf,
  probabilityIn,
  quantileOf,
  simulate,
} from './model/forecast/simulate.ts';
export { sleepProbability } from './model/forecast/sleep.ts';
export { HORIZON_HOURS, horizonAt, horizonsOf } from './model/horizons.ts';
export { percentile } from './model/percentile.ts';
export { phaseAt } from './model/phase.ts';
export { compareIds } from './model/post-ids.ts';
export { expectedValue, stakeFraction, withinCap } from './model/sizing.ts';
export { countBetween, lowerBound } from './model/sorted-times.ts';
export { type BuyStrategy, STRATEGY_STAKES } from './model/strategy.ts';
export type { Confidence } from './model/time-left.ts';
export type { TrackRecord } from './model/track-record.ts';
export type {
  AccountId,
  Bucket,
  CountingRule,
  CoverageFact,
  CryptoKind,
  EventFact,
  Fact,
  FitFact,
  ForecastFact,
  ForecastOrigin,
  Input,
  Move,
  Observation,
  OracleFact,
  PostFact,
  PostGoneFact,
  PricesFact,
  Quote,
  SettingsFact,
  SourceName,
  SpotFact,
  Subject,
  TickFact,
  TrackingFact,
  UiFact,
} from './observation.ts';
export { skipStale } from './pipelines/event-signals.ts';
export { predictionHash } from './pipelines/ledger.ts';
export {
  type Bettor,
  type SizedOrder,
  type SizedSignal,
  type SizedSignals,
  sizedSignals,
} from './pipelines/signals-for-bankroll.ts';
export type {
  Cause,
  Counters,
  EventRecord,
  Failure,
  Freshness,
  Lag,
  ModelRequest,
  Output,
  OutputOf,
  Percentiles,
  Phase,
  Post,
  PredictedBucket,
  Prediction,
  Price,
  PriceKind,
  Range,
  Spot,
  StreamName,
  StreamRecords,
  Velocity,
} from './records.ts';
export { isKept, isStreamName, KEPT_STREAMS, STREAM_NAMES } from './records.ts';
export { createRunner, type Runner } from './runner.ts';
export type { Score, ScoreRecord } from './score-records.ts';
export type { BucketSignal, Decision, EventSignals, FrozenBuy } from './signal-records.ts';
