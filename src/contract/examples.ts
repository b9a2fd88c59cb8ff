import {
  ACCOUNT_TRACK_RECORD,
  ANNOTATION,
  CALIBRATION_GROUP,
  OVERVIEW,
  SAMPLE,
  SLEEP_SCORE,
  VOID_FORECAST,
} from './examples/performance.ts';
import { HISTORY, MINUTE, PREDICTION } from './examples/predictions.ts';
import {
  COUNT_LEFT_BUCKET,
  FLIP_LIKELY,
  NEAR_EDGE,
  ORACLE_STALLED,
  PORTFOLIO,
  REBALANCING,
  SIGNALS,
} from './examples/trading.ts';
import type { ComponentName, ExampleOf } from './openapi/components.ts';

const [position] = PORTFOLIO.positions;

/** Examples of the components whose schemas have none. */
export const EXAMPLES: { readonly [Name in ComponentName]?: ExampleOf<Name> | undefined } = {
  PredictionMarket: PREDICTION.markets[0],
  Prediction: PREDICTION,
  MinuteMarket: MINUTE.markets[0],
  Minute: MINUTE,
  HistoryAnswer: HISTORY,
  BuyNo: SIGNALS.SELL[0]?.buy_no ?? undefined,
  Signal: SIGNALS.signals[0],
  BuyOrder: SIGNALS.BUY[0],
  SellOrder: SIGNALS.SELL[0],
  TrackRecord: SIGNALS.track_record ?? undefined,
  CountLeftBucket: COUNT_LEFT_BUCKET,
  OracleStalled: ORACLE_STALLED,
  NearEdge: NEAR_EDGE,
  FlipLikely: FLIP_LIKELY,
  Signals: SIGNALS,
  Analysis: position?.analysis,
  Sizing: position?.sizing,
  Position: position,
  Portfolio: PORTFOLIO,
  Adjustment: REBALANCING.adjustments[0],
  Rebalancing: REBALANCING,
  ForecastError: OVERVIEW.error_24h.live,
  HorizonError: OVERVIEW.error_24h,
  PerformanceOverview: OVERVIEW,
  AccountTrackRecord: ACCOUNT_TRACK_RECORD,
  PerformanceSample: SAMPLE,
  VoidForecast: VOID_FORECAST,
  Annotation: ANNOTATION,
  ReliabilityBin: CALIBRATION_GROUP.reliability[0],
  CalibrationGroup: CALIBRATION_GROUP,
  SleepScore: SLEEP_SCORE,
  AlertRuleRequest: {
    account: 'account_a',
    when: 'settlement_delta >= 2',
    target: { type: 'webhook', url: 'https://bot.example/alerts' },
  },
  WaitlistRequest: {
    type: 'agent',
    case: 'Trading weekly post-count markets',
    name: 'count-bot_1',
    wallet: '0x00000000000000000000000000000000000000a1',
  },
};
