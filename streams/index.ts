// Run the pipelines over a log: as an Observable, or one observation at a time.

export { decodeState, encodeState } from './checkpoint.ts';
export { emptyState, GRAPH_VERSION, type GraphOptions, type GraphState, graph } from './graph.ts';
export { createRunner, type Runner } from './runner.ts';

// The input: observations, each with one fact.

export { type CountingRule, USUAL_RULE } from './model/counting.ts';
export type { AccountId, Bucket, Fact, Observation, PostFact } from './observation.ts';

// The output: each has the record of its stream.

export { predictionHash } from './pipelines/ledger.ts';
export {
  KEPT_STREAMS,
  type Output,
  type OutputOf,
  type Prediction,
  STREAM_NAMES,
  type StreamName,
  type StreamRecords,
} from './records.ts';
export type { ScoreRecord, VoidRecord } from './score-records.ts';
export type { EventSignals } from './signal-records.ts';

// The model: a history of posts, its fit, and the distribution of a window's final count.

export { fitModel } from './model/forecast/fit.ts';
export { accountNow, inputsAt } from './model/forecast/inputs.ts';
export { paceFinalCount } from './model/forecast/pace.ts';
export { coldStart, MODEL, type ModelParams } from './model/forecast/params.ts';
export { accountSeries } from './model/forecast/series.ts';
export {
  createSimulator,
  type FinalCount,
  forecastOf,
  probabilityIn,
  quantileOf,
} from './model/forecast/simulate.ts';

// Scores of a forecast once the final count is known.

export { logPool } from './model/forecast/log-pool.ts';
export { bootstrapInterval, brier, crps, logScore, pit } from './model/forecast/scores.ts';

// Spans of time in ms.

export { DAY_MS, HOUR_MS, MINUTE_MS } from './model/durations.ts';
