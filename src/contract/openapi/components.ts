import * as z from 'zod';
import { alertBody } from '../alert-rule.ts';
import { waitlistBody } from '../params.ts';
import { accountEventRecord, accountRecord } from '../records/account.ts';
import {
  alertMessage,
  alertRuleRecord,
  deadAlertRecord,
  madeRuleRecord,
  removedRuleRecord,
} from '../records/alert.ts';
import { calibrationGroupRecord, calibrationRecord, reliabilityBinRecord } from '../records/calibration.ts';
import { countersRecord } from '../records/counters.ts';
import {
  countLeftBucketRecord,
  flipLikelyRecord,
  nearEdgeRecord,
  oracleStalledRecord,
} from '../records/crossings.ts';
import { cryptoRecord } from '../records/crypto.ts';
import { asOfRecord, timed, withAsOf } from '../records/envelope.ts';
import {
  accountUnknownRecord,
  errorRecord,
  eventUnknownRecord,
  faultRecord,
  faultsRecord,
  rateLimitedRecord,
  unpaidRecord,
} from '../records/errors.ts';
import { healthRecord, probeRecord } from '../records/health.ts';
import { lagRecord } from '../records/lag.ts';
import { minuteMarketRecord, minuteRecord, minutesAnswer } from '../records/minutes.ts';
import {
  accountTrackRecord,
  annotationRecord,
  forecastErrorRecord,
  historyRecord,
  horizonErrorRecord,
  overviewRecord,
  sampleRecord,
  voidRecord,
} from '../records/performance.ts';
import { analysisRecord, portfolioRecord, positionRecord, sizingRecord } from '../records/portfolio.ts';
import { postRecord } from '../records/post.ts';
import { predictionMarketRecord, predictionRecord } from '../records/prediction.ts';
import { adjustmentRecord, rebalancingRecord } from '../records/rebalancing.ts';
import {
  buyNoRecord,
  buyOrderRecord,
  sellOrderRecord,
  signalRecord,
  signalsRecord,
  trackRecord,
} from '../records/signals.ts';
import { sleepScoreRecord } from '../records/sleep-score.ts';
import {
  usageByEndpointRecord,
  usageErrorsRecord,
  usageStatsRecord,
  usageSummaryRecord,
} from '../records/usage.ts';
import { waitlistRecord } from '../records/waitlist.ts';

const counters = withAsOf(countersRecord);
const crypto = withAsOf(cryptoRecord);
const post = withAsOf(postRecord);
const lag = withAsOf(lagRecord);
const prediction = withAsOf(predictionRecord);
const signals = withAsOf(signalsRecord);
const portfolio = withAsOf(portfolioRecord);
const rebalancing = withAsOf(rebalancingRecord);

/** The schemas of all JSON on the wire, by their names in the OpenAPI document. */
export const COMPONENTS = {
  AsOf: asOfRecord,
  AccountEvent: accountEventRecord,
  Account: accountRecord,
  AccountsAnswer: timed({ data: z.array(accountRecord) }),
  Counters: counters,
  CountersAnswer: timed({ data: z.array(counters) }),
  Crypto: crypto,
  CryptoAnswer: timed({ data: z.array(crypto) }),
  Post: post,
  PostsAnswer: timed({
    limit: z.int().meta({ description: 'Posts per page, as used.', examples: [15] }),
    offset: z.int().meta({ description: 'Posts skipped, as used.', examples: [0] }),
    data: z.array(post),
  }),
  Lag: lag,
  LagAnswer: timed({ data: z.array(lag) }),
  PredictionMarket: predictionMarketRecord,
  Prediction: prediction,
  PredictionAnswer: timed({ data: z.array(prediction) }),
  MinuteMarket: minuteMarketRecord,
  Minute: minuteRecord,
  HistoryAnswer: minutesAnswer,
  BuyNo: buyNoRecord,
  Signal: signalRecord,
  BuyOrder: buyOrderRecord,
  SellOrder: sellOrderRecord,
  TrackRecord: trackRecord,
  CountLeftBucket: countLeftBucketRecord,
  OracleStalled: oracleStalledRecord,
  NearEdge: nearEdgeRecord,
  FlipLikely: flipLikelyRecord,
  Signals: signals,
  SignalsAnswer: timed({ data: z.array(signals) }),
  Analysis: analysisRecord,
  Sizing: sizingRecord,
  Position: positionRecord,
  Portfolio: portfolio,
  PortfolioAnswer: timed({ data: z.array(portfolio) }),
  Adjustment: adjustmentRecord,
  Rebalancing: rebalancing,
  RebalancingAnswer: timed({ data: z.array(rebalancing) }),
  ForecastError: forecastErrorRecord,
  HorizonError: horizonErrorRecord,
  PerformanceOverview: overviewRecord,
  AccountTrackRecord: accountTrackRecord,
  PerformanceSample: sampleRecord,
  VoidForecast: voidRecord,
  Annotation: annotationRecord,
  PerformanceHistory: historyRecord,
  ReliabilityBin: reliabilityBinRecord,
  CalibrationGroup: calibrationGroupRecord,
  SleepScore: sleepScoreRecord,
  Calibration: calibrationRecord,
  AlertRuleRequest: alertBody,
  AlertRule: alertRuleRecord,
  AlertRulesAnswer: timed({ data: z.array(alertRuleRecord) }),
  MadeAlertRule: madeRuleRecord,
  RemovedAlertRule: removedRuleRecord,
  DeadAlert: deadAlertRecord,
  DeadAlertsAnswer: timed({ data: z.array(deadAlertRecord) }),
  Alert: alertMessage,
  UsageSummary: usageSummaryRecord,
  UsageByEndpoint: usageByEndpointRecord,
  UsageErrors: usageErrorsRecord,
  UsageStats: usageStatsRecord,
  WaitlistRequest: waitlistBody,
  WaitlistPlace: waitlistRecord,
  Health: healthRecord,
  Probe: probeRecord,
  Error: errorRecord,
  AccountUnknown: accountUnknownRecord,
  EventUnknown: eventUnknownRecord,
  Unpaid: unpaidRecord,
  RateLimited: rateLimitedRecord,
  Fault: faultRecord,
  Faults: faultsRecord,
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type ComponentName = keyof typeof COMPONENTS;

/** A value of a component. */
export type ExampleOf<Name extends ComponentName> = z.output<(typeof COMPONENTS)[Name]>;
