// Everything that researchers see, and what only the service needs.

export {
  agesFromLine,
  createStateReader,
  encodeStateLines,
  GRAPH_VERSION_BEFORE,
  isReadable,
  readPutOff,
} from './checkpoint.ts';
export { lastPassing } from './graph.ts';
export * from './index.ts';
export { probNow, type ReasonCode, standingOf } from './model/bucket-signal.ts';
export { biasFactors, type ClosedForecast, type MadeForecast, madeForecast } from './model/forecast/bias.ts';
export type { AccountNow, ForecastInputs, ForecastWindow } from './model/forecast/inputs.ts';
export { bucketOf, contains, distanceFromUniform } from './model/forecast/scores.ts';
export type { AccountSeries, Gap } from './model/forecast/series.ts';
export { type CountRange, type Forecast, startingFrom } from './model/forecast/simulate.ts';
export { sleepProbability } from './model/forecast/sleep.ts';
export { HORIZON_HOURS, horizonAt, horizonsOf } from './model/horizons.ts';
export { isSame } from './model/is-same.ts';
export { median, percentile } from './model/percentile.ts';
export { phaseAt } from './model/phase.ts';
export { type Pmf, plus, pmfQuantile, roundedPmf, shifted } from './model/pmf.ts';
export { poissonTail } from './model/poisson-tail.ts';
export { compareIds, POST_FAULTS, postFault, TOLERANCE_MS, timeOfId } from './model/post-ids.ts';
export { quantileCrps } from './model/quantile-scores.ts';
export { futureOffset, settledShare, settledSoFar } from './model/settlement.ts';
export { ACCOUNT_CAP, EVENT_CAP, expectedValue, fullKelly, wantedStake } from './model/sizing.ts';
export { countBetween, lowerBound } from './model/sorted-times.ts';
export type { BuyStrategy } from './model/strategy.ts';
export type { Confidence } from './model/time-left.ts';
export { LEAST_AGAINST, type TrackRecord } from './model/track-record.ts';
export { costOfShare, type TakerFee, takerFee } from './model/trading-costs.ts';
export type {
  AccountPrior,
  AgeLimits,
  CoverageFact,
  CryptoKind,
  EventFact,
  FitFact,
  ForecastFact,
  ForecastOrigin,
  HistoryFact,
  Input,
  LimitedInput,
  ListingFact,
  Move,
  PastPricesFact,
  PostGoneFact,
  PostsVia,
  PricesFact,
  Quote,
  SettingsFact,
  Settlement,
  SourceName,
  Subject,
  TickFact,
  TrackingFact,
  ValueAges,
  VolumesFact,
} from './observation.ts';
export { calendarAt, INPUTS, LIMITED_INPUTS } from './observation.ts';
export { timelineFrom } from './pipelines/counters.ts';
export { skipStale } from './pipelines/event-signals.ts';
export { trackRecords } from './pipelines/score-history.ts';
export {
  actionFor,
  type Bettor,
  type Cut,
  confidenceIn,
  isListed,
  type SizedBet,
  type SizedOrder,
  type SizedSignal,
  sizedSignals,
  USUAL_BETTOR,
} from './pipelines/signals-for-bankroll.ts';
export { createSignalsRunner } from './pipelines/signals-runner.ts';
export {
  ageLimit,
  ageOf,
  oldestAges,
  ownValueOf,
  sourceOf,
  type TickAges,
} from './pipelines/staleness.ts';
export type {
  Cause,
  Counters,
  EventRecord,
  Failure,
  Lag,
  Minute,
  MinuteBucket,
  ModelRequest,
  Percentiles,
  Post,
  PredictedBucket,
  Price,
  PublishedModel,
  SleepScore,
  Spot,
  Velocity,
} from './records.ts';
export { isKept, isStreamName } from './records.ts';
export type { Score } from './score-records.ts';
export type { BucketSignal, Decision, FrozenBuy } from './signal-records.ts';
