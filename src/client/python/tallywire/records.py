"""Everything on the wire, as types. Made by make_records.py from the documents of the service."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AsOfAgesMs(TypedDict):
    posts: float | None
    oracle: float | None
    ui: float | None
    prices: float | None
    events: NotRequired[float | None]
    crypto: NotRequired[float | None]


class AsOf(TypedDict):
    seq: int
    ts: int
    ages_ms: AsOfAgesMs


class AccountEvent(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    start_ts: int
    end_ts: int


class Account(TypedDict):
    account: str
    name: str
    velocity: bool
    sizing: bool
    rebalancing: bool
    buy_only: bool
    free_fields: list[Literal["velocity_counted_1h", "velocity_all_1h", "forecast", "settlement",
        "sleep_probability", "model_version", "forecast_id", "forecast_ts", "distribution", "flip_risk",
        "moved", "model_prob", "edge", "signal"]]
    active_events: list[AccountEvent] | None


class AccountsAnswer(TypedDict):
    timestamp: int
    data: list[Account]


class Counters(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    image: str
    start_ts: int
    end_ts: int
    market_oracle_counter: int | None
    real_counter: int | None
    market_ui_counter: int | None
    settlement_delta: int | None
    display_delta: int | None
    internal_delta: int | None
    deleted_count: int | None
    via: Literal["timeline", "oracle_list"] | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    history_percent: int | None
    as_of: AsOf


class CountersAnswer(TypedDict):
    timestamp: int
    data: list[Counters]


class CryptoMarkets(TypedDict):
    title: str
    token_id: str
    market_price: float | None
    price_ts: int | None


class Crypto(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    image: str
    symbol: str
    kind: Literal["UP_DOWN", "RANGE", "LADDER", "TOUCH"]
    start_ts: int | None
    end_ts: int
    seconds_remaining: int
    spot_price: float | None
    spot_ts: int | None
    reference_price: float | None
    markets: list[CryptoMarkets]
    stale: list[Literal["prices", "events", "crypto"]]
    as_of: AsOf


class CryptoAnswer(TypedDict):
    timestamp: int
    data: list[Crypto]


class Post(TypedDict):
    tweet_id: str
    text: str
    created_ts: int
    is_reply: bool | None
    is_quote: bool | None
    is_retweet: bool
    is_counted: bool | None
    seen_ts: int
    deleted_ts: int | None
    url: str
    via: Literal["timeline", "oracle_list", "import"]
    oracle_ts: int | None
    as_of: AsOf


class PostsAnswer(TypedDict):
    timestamp: int
    limit: int
    offset: int
    data: list[Post]


class LagSeen(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class LagOracle(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class LagUi(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class Lag(TypedDict):
    account: str
    seen: LagSeen
    oracle: LagOracle
    ui: LagUi
    as_of: AsOf


class LagAnswer(TypedDict):
    timestamp: int
    data: list[Lag]


class PredictionMarket(TypedDict):
    title: str
    market_price: float | None
    token_id: str
    lo: int | None
    hi: int | None
    price_ts: int | None
    price_kind: Literal["mid", "last", "ui"] | None
    best_bid: float | None
    best_ask: float | None
    bid_size: float | None
    ask_size: float | None
    model_prob: NotRequired[float | None]
    edge: NotRequired[float | None]
    signal: NotRequired[Literal["STRONG_BUY", "BUY", "SLIGHT_BUY", "HOLD", "SELL"] | None]


class PredictionForecast(TypedDict):
    p5: float
    p50: float
    p95: float


class PredictionSettlement(TypedDict):
    offset_p5: int
    offset_p50: int
    offset_p95: int


class PredictionDistribution(TypedDict):
    count: float
    prob: float


class PredictionMoved(TypedDict):
    cause: Literal["new_post", "post_deleted", "oracle", "clock", "model"]
    p50: float


class Prediction(TypedDict):
    seconds_remaining: int
    event_id: int
    event_title: str
    event_slug: str
    image: str
    start_ts: int
    end_ts: int
    market_oracle_counter: int | None
    real_counter: int | None
    market_ui_counter: int | None
    settlement_delta: int | None
    display_delta: int | None
    internal_delta: int | None
    deleted_count: int | None
    via: Literal["timeline", "oracle_list"] | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    history_percent: int | None
    velocity_counted_1h: NotRequired[float | None]
    velocity_all_1h: NotRequired[float | None]
    forecast: NotRequired[PredictionForecast | None]
    settlement: NotRequired[PredictionSettlement | None]
    sleep_probability: NotRequired[float | None]
    model_version: NotRequired[str | None]
    forecast_id: NotRequired[str | None]
    forecast_ts: NotRequired[int | None]
    distribution: NotRequired[list[PredictionDistribution] | None]
    flip_risk: NotRequired[float | None]
    moved: NotRequired[list[PredictionMoved] | None]
    markets: list[PredictionMarket]
    as_of: AsOf


class PredictionAnswer(TypedDict):
    timestamp: int
    data: list[Prediction]


class MinuteMarket(TypedDict):
    title: str
    lo: int | None
    hi: int | None
    market_price: float | None
    best_bid: float | None
    best_ask: float | None
    bid_size: float | None
    ask_size: float | None
    last: float | None
    volume: float | None
    model_prob: NotRequired[float | None]


class Minute(TypedDict):
    ts: int
    real_counter: int | None
    market_oracle_counter: int | None
    forecast_id: NotRequired[str | None]
    markets: list[MinuteMarket]


class HistoryAnswer(TypedDict):
    timestamp: int
    event_id: int
    event_title: str
    start_ts: int | None
    end_ts: int
    from_ts: int
    to_ts: int
    step: int
    limit: int
    next_to_ts: int | None
    data: list[Minute]


class BuyNoCut(TypedDict):
    by: Literal["event_cap", "unproven", "account_cap", "depth", "minimum"]
    fraction: float


class BuyNo(TypedDict):
    token_id: str
    model_prob: float
    edge_net: float
    kelly_full: float
    limit_price: float
    available_usd: float | None
    kelly_fraction: float
    suggested_bet: float
    cut: list[BuyNoCut]


class SignalCut(TypedDict):
    by: Literal["event_cap", "unproven", "account_cap", "depth", "minimum"]
    fraction: float


class Signal(TypedDict):
    bucket: str
    token_id: str
    action: Literal["BUY", "SELL", "HOLD", "SKIP"]
    strategy: Literal["TWO_BUCKET", "SINGLE_BUCKET", "RISK_MANAGEMENT"] | None
    model_prob: float | None
    market_price: float | None
    edge: float | None
    edge_net: float | None
    ev: float | None
    kelly_fraction: float
    suggested_bet: float
    kelly_full: float | None
    limit_price: float | None
    available_usd: float | None
    cut: list[SignalCut]
    proven: bool
    confidence: Literal["HIGH", "MEDIUM", "LOW"]
    moneyness: float | None
    time_confidence: Literal["HIGH", "MEDIUM", "LOW"]
    asymmetry_edge: int | None
    best_bid: float | None
    best_ask: float | None
    bid_size: float | None
    ask_size: float | None
    fee_rate: float
    buy_no: BuyNo | None
    reason_codes: list[str]
    reasons: list[str]
    bankroll: float


class BuyOrder(TypedDict):
    strategy: Literal["TWO_BUCKET", "SINGLE_BUCKET"]
    buckets: list[str]
    token_ids: list[str]
    stake_fraction: float
    stake_usd: float
    stakes_usd: list[float]
    measured_win_rate: float | None
    sample_size: int
    n_unproven: int


class SellOrder(TypedDict):
    strategy: Literal["RISK_MANAGEMENT"]
    bucket: str
    token_id: str
    edge: float | None
    limit_price: float | None
    available_usd: float | None
    buy_no: BuyNo | None


class TrackRecord(TypedDict):
    horizon: int | None
    sample_size: int
    n_live: int
    n_backfilled: int
    n_market: int
    proven_against: list[Literal["pace", "market"]]
    coverage90: float | None
    top_bucket_hit_rate: float | None
    top_bucket_mean_prob: float | None
    crps_difference_pace: float | None
    log_score_difference_market: float | None
    market_sample_size: int


class CountLeftBucketOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class CountLeftBucket(TypedDict):
    kind: Literal["count_left_bucket"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: CountLeftBucketOracleLag
    bucket: str
    token_id: str
    best_bid: float
    bid_size: float | None
    model_prob: float | None
    gain_usd: float | None
    expected_value_usd: float | None
    since_ts: int | None


class OracleStalledOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class OracleStalled(TypedDict):
    kind: Literal["oracle_stalled"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: OracleStalledOracleLag
    waiting: int
    since_ts: int
    limit_ms: float
    bucket: str | None
    token_id: str | None
    best_ask: float | None
    ask_size: float | None
    model_prob: float | None
    expected_value_usd: float | None


class NearEdgeOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class NearEdge(TypedDict):
    kind: Literal["near_edge"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: NearEdgeOracleLag
    bucket: str
    next_bucket: str
    next_token_id: str
    posts_to_next: int
    within_ms: int
    probability: float
    velocity_counted_1h: int
    best_ask: float | None
    ask_size: float | None
    model_prob: float | None
    expected_value_usd: float | None


class FlipLikelyOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class FlipLikely(TypedDict):
    kind: Literal["flip_likely"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: FlipLikelyOracleLag
    flip_risk: float
    real_bucket: str | None
    oracle_bucket: str | None
    bucket: str | None
    token_id: str | None
    best_ask: float | None
    ask_size: float | None
    model_prob: float | None
    expected_value_usd: float | None


class Signals(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    end_ts: int
    forecast_id: str | None
    p50: float | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    proven: bool
    track_record: TrackRecord | None
    signals: list[Signal]
    BUY: list[BuyOrder]
    SELL: list[SellOrder]
    crossings: list[CountLeftBucket | OracleStalled | NearEdge | FlipLikely]
    as_of: AsOf


class SignalsAnswer(TypedDict):
    timestamp: int
    data: list[Signals]


class Analysis(TypedDict):
    win_probability: float | None
    market_implied: float
    edge: float | None
    edge_percent: float | None
    signal: Literal["STRONG_BUY", "BUY", "HOLD", "AVOID", "SELL"] | None
    recommendation: Literal["STRONG_HOLD", "HOLD", "MONITOR", "CONSIDER_SELLING"] | None


class Sizing(TypedDict):
    kelly_fraction: float | None
    target_value: float | None
    adjustment: float | None
    action: Literal["ADD_MORE", "TRIM", "HOLD"] | None
    limit_price: float | None


class Position(TypedDict):
    event_id: str
    bucket: str
    outcome: Literal["Yes", "No"]
    token_id: str
    tokens: float
    avg_price: float
    cost_basis: float
    current_price: float
    current_value: float
    pnl: float
    pnl_percent: float
    mergeable: bool
    analysis: Analysis
    sizing: NotRequired[Sizing]


class PortfolioEvent(TypedDict):
    id: float
    title: str
    end_ts: float


class PortfolioPrediction(TypedDict):
    p5: float | None
    p50: float | None
    p95: float | None
    real_counter: float | None
    seconds_remaining: float
    velocity_counted_1h: float | None
    forecast_id: str | None
    forecast_ts: float | None


class PortfolioPortfolio(TypedDict):
    total_positions: float
    total_cost: float
    current_value: float
    total_pnl: float
    total_pnl_percent: float


class Portfolio(TypedDict):
    wallet: str
    event: PortfolioEvent | None
    prediction: PortfolioPrediction | None
    positions: list[Position]
    portfolio: PortfolioPortfolio
    message: NotRequired[str]
    positions_ts: float | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    as_of: AsOf


class PortfolioAnswer(TypedDict):
    timestamp: int
    data: list[Portfolio]


class Adjustment(TypedDict):
    event_id: float
    bucket: str
    token_id: str
    outcome: Literal["Yes", "No"]
    action: Literal["ADD_MORE", "TRIM"]
    current_value: float
    target_value: float
    adjustment: float
    kelly_fraction: float
    model_prob: float
    current_price: float
    edge: float
    limit_price: float | None
    reasons: list[str]


class RebalancingEvent(TypedDict):
    id: float
    title: str
    end_ts: float


class Rebalancing(TypedDict):
    wallet: str
    event: RebalancingEvent | None
    bankroll: float
    threshold: float
    adjustments: list[Adjustment]
    message: NotRequired[str]
    positions_ts: float | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    as_of: AsOf


class RebalancingAnswer(TypedDict):
    timestamp: int
    data: list[Rebalancing]


class ForecastError(TypedDict):
    median: float | None
    p90: float | None
    sample_size: int


class HorizonError(TypedDict):
    median: float | None
    p90: float | None
    sample_size: int
    n_market: int
    live: ForecastError
    backfilled: ForecastError


class PerformanceOverviewWinRate(TypedDict):
    HIGH: float | None
    MEDIUM: float | None
    LOW: float | None


class PerformanceOverviewWinRateSampleSize(TypedDict):
    HIGH: int
    MEDIUM: int
    LOW: int


class PerformanceOverviewWinRateUnproven(TypedDict):
    HIGH: int
    MEDIUM: int
    LOW: int


class PerformanceOverviewBetsBySideYes(TypedDict):
    bets: int
    events: int
    won_percent: float | None
    return_percent: float | None


class PerformanceOverviewBetsBySideNo(TypedDict):
    bets: int
    events: int
    won_percent: float | None
    return_percent: float | None


class PerformanceOverviewBetsBySide(TypedDict):
    yes: PerformanceOverviewBetsBySideYes
    no: PerformanceOverviewBetsBySideNo


class PerformanceOverviewComparable(TypedDict):
    n: int
    error_24h: HorizonError
    error_48h: HorizonError
    error_72h: HorizonError


class PerformanceOverviewByOriginLive(TypedDict):
    error_24h: ForecastError
    error_48h: ForecastError
    error_72h: ForecastError


class PerformanceOverviewByOriginHistory(TypedDict):
    error_24h: ForecastError
    error_48h: ForecastError
    error_72h: ForecastError


class PerformanceOverviewByOrigin(TypedDict):
    live: PerformanceOverviewByOriginLive
    history: PerformanceOverviewByOriginHistory


class PerformanceOverview(TypedDict):
    timestamp: int
    error_24h: HorizonError
    error_48h: HorizonError
    error_72h: HorizonError
    win_rate: PerformanceOverviewWinRate
    win_rate_sample_size: PerformanceOverviewWinRateSampleSize
    win_rate_unproven: PerformanceOverviewWinRateUnproven
    bets_by_side: PerformanceOverviewBetsBySide
    last_updated: str
    comparable: PerformanceOverviewComparable
    by_origin: PerformanceOverviewByOrigin
    track_records: list[AccountTrackRecord]
    omitted_accounts: NotRequired[int]


class AccountTrackRecord(TypedDict):
    horizon: int | None
    sample_size: int
    n_live: int
    n_backfilled: int
    n_market: int
    proven_against: list[Literal["pace", "market"]]
    coverage90: float | None
    top_bucket_hit_rate: float | None
    top_bucket_mean_prob: float | None
    crps_difference_pace: float | None
    log_score_difference_market: float | None
    market_sample_size: int
    account: str
    confidence: Literal["HIGH", "MEDIUM", "LOW"]
    proven: bool


class PerformanceSample(TypedDict):
    timestamp: str
    error_pct: float | None
    event_id: int
    account: str
    origin: Literal["live", "history"]
    p50: float
    final_count: int
    model_version: str
    has_market: bool


class VoidForecast(TypedDict):
    timestamp: str
    event_id: int
    account: str
    origin: Literal["live", "history"]
    forecast_id: str
    forecast_ts: int
    model_version: str


class Annotation(TypedDict):
    timestamp: str
    label: str
    commit: str


class PerformanceHistory(TypedDict):
    timestamp: int
    data: list[PerformanceSample]
    void: list[VoidForecast]
    annotations: list[Annotation]


ReliabilityBin = TypedDict(
    "ReliabilityBin",
    {
        "from": "float",
        "to": "float",
        "n": "int",
        "mean_prob": "float | None",
        "won_share": "float | None",
    },
)


class CalibrationGroupSameInstants(TypedDict):
    n: int
    n_events: int
    log_score: float | None
    log_score_market: float | None
    log_score_pool: float | None
    log_score_model_less_market: float | None
    log_score_model_less_market_interval: list[float | None] | None
    log_score_pool_less_market: float | None
    log_score_pool_less_market_interval: list[float | None] | None
    log_score_pool_less_model: float | None
    log_score_pool_less_model_interval: list[float | None] | None
    brier: float | None
    brier_market: float | None
    brier_pool: float | None
    brier_model_less_market: float | None
    brier_model_less_market_interval: list[float | None] | None
    brier_pool_less_market: float | None
    brier_pool_less_market_interval: list[float | None] | None
    brier_pool_less_model: float | None
    brier_pool_less_model_interval: list[float | None] | None


class CalibrationGroup(TypedDict):
    origin: Literal["live", "history"]
    account: str | None
    horizon: int | None
    n: int
    n_events: int
    n_market: int
    coverage90: float | None
    coverage90_interval: list[float | None] | None
    pit_mean: float | None
    pit_distance: float | None
    crps: float | None
    crps_pace: float | None
    crps_difference_pace: float | None
    crps_difference_pace_interval: list[float | None] | None
    crps_market: float | None
    crps_difference_market: float | None
    crps_difference_market_interval: list[float | None] | None
    log_score: float | None
    log_score_pace: float | None
    log_score_difference_pace: float | None
    log_score_difference_pace_interval: list[float | None] | None
    log_score_market: float | None
    log_score_difference_market: float | None
    log_score_difference_market_interval: list[float | None] | None
    brier: float | None
    brier_pace: float | None
    brier_difference_pace: float | None
    brier_difference_pace_interval: list[float | None] | None
    brier_market: float | None
    brier_difference_market: float | None
    brier_difference_market_interval: list[float | None] | None
    same_instants: CalibrationGroupSameInstants | None
    no_demonstrated_edge: bool
    reliability: list[ReliabilityBin]


class SleepScore(TypedDict):
    account: str
    n: int
    brier: float | None
    baseline_brier: float | None


class Calibration(TypedDict):
    timestamp: int
    data: list[CalibrationGroup]
    track_records: list[AccountTrackRecord]
    sleep: list[SleepScore]
    omitted_accounts: NotRequired[int]


class AlertRuleRequestTarget(TypedDict):
    type: Literal["webhook", "ntfy", "telegram", "discord"]
    url: str
    secret: NotRequired[str | None]
    token: NotRequired[str | None]
    chat: NotRequired[str | None]


class AlertRuleRequest(TypedDict):
    name: NotRequired[str | None]
    account: str
    event: NotRequired[int | None]
    bucket: NotRequired[str | None]
    when: str
    rearm: NotRequired[float | None]
    once: NotRequired[bool | None]
    cooldown: NotRequired[int | None]
    target: AlertRuleRequestTarget


class AlertRuleTarget(TypedDict):
    type: Literal["webhook", "ntfy", "telegram", "discord"]
    host: str


class AlertRule(TypedDict):
    id: str
    name: str | None
    account: str
    bucket: str | None
    event: int | None
    when: str
    rearm: float | None
    once: bool
    cooldown: int
    target: AlertRuleTarget
    created_ts: int
    alerts: int
    active: int
    waiting: int
    dead: int
    last_failure: str | None


class AlertRulesAnswer(TypedDict):
    timestamp: int
    data: list[AlertRule]


class MadeAlertRuleTarget(TypedDict):
    type: Literal["webhook", "ntfy", "telegram", "discord"]
    host: str


class MadeAlertRule(TypedDict):
    id: str
    name: str | None
    account: str
    bucket: str | None
    event: int | None
    when: str
    rearm: float | None
    once: bool
    cooldown: int
    target: MadeAlertRuleTarget
    created_ts: int
    alerts: int
    active: int
    waiting: int
    dead: int
    last_failure: str | None
    secret: str | None


class RemovedAlertRule(TypedDict):
    id: str


class DeadAlert(TypedDict):
    id: str
    rule: str
    n: int
    ts: int
    account: str
    bucket: str | None
    event_id: int | None
    when: str
    value: float
    tries: int
    failure: str


class DeadAlertsAnswer(TypedDict):
    timestamp: int
    data: list[DeadAlert]


class UsageSummaryCovered(TypedDict):
    start: int
    end: int
    start_ts: int
    end_ts: int


class UsageSummary(TypedDict):
    timestamp: int
    key: str
    days: int
    total_requests: int
    total_errors: int
    error_rate: float
    avg_response_time_ms: float | None
    total_bandwidth_bytes: int
    covered: UsageSummaryCovered


class UsageByEndpointData(TypedDict):
    endpoint: str
    method: str
    requests: int
    errors: int
    error_rate: float
    avg_response_time_ms: float
    bandwidth_bytes: int


class UsageByEndpointCovered(TypedDict):
    start: int
    end: int
    start_ts: int
    end_ts: int


class UsageByEndpoint(TypedDict):
    timestamp: int
    start: int
    end: int
    start_ts: int
    end_ts: int
    data: list[UsageByEndpointData]
    covered: UsageByEndpointCovered


class UsageErrorsData(TypedDict):
    endpoint: str
    method: str
    timestamp: int
    status_code: int
    response_time_ms: float
    message: str


class UsageErrors(TypedDict):
    timestamp: int
    limit: int
    data: list[UsageErrorsData]


class UsageStatsBuffer(TypedDict):
    size: int
    capacity: int
    last_flush_ts: int | None
    dropped: int


class UsageStatsTracking(TypedDict):
    enabled: bool
    flush_interval_ms: int
    retention_days: int


class UsageStats(TypedDict):
    timestamp: int
    buffer: UsageStatsBuffer
    tracking: UsageStatsTracking


class WaitlistRequest(TypedDict):
    type: Literal["agent", "human"]
    case: str
    name: NotRequired[str | None]
    wallet: NotRequired[str | None]
    email: NotRequired[str | None]


class WaitlistPlace(TypedDict):
    status: Literal["registered", "already_registered"]
    position: int


class Health(TypedDict):
    timestamp: int
    status: Literal["ok", "starting", "degraded", "unavailable"]
    history_percent: dict[str, Any]
    stale: list[str]
    refusing: list[str]
    writes_held_ms: NotRequired[int]
    clock: NotRequired[str]
    behind_ms: NotRequired[int]


class Probe(TypedDict):
    status: Literal["alive", "stalled", "ready", "not_ready"]
    reason: NotRequired[str]


class Error(TypedDict):
    detail: str
    code: str


class AccountUnknown(TypedDict):
    detail: str
    code: str
    accounts: NotRequired[list[str]]


class EventUnknownEvents(TypedDict):
    event_id: int
    event_title: str
    start_ts: int | None
    end_ts: int


class EventUnknown(TypedDict):
    detail: str
    code: str
    accounts: NotRequired[list[str]]
    events: NotRequired[list[EventUnknownEvents]]


class Unpaid(TypedDict):
    detail: str
    code: str
    reason: NotRequired[str]
    x402Version: NotRequired[int]
    accepts: NotRequired[list[dict[str, Any]]]


class RateLimited(TypedDict):
    detail: str
    code: str
    limit: NotRequired[int]
    remaining: NotRequired[int]
    reset: NotRequired[int]
    reset_ts: NotRequired[int]
    retry_after: int
    retry_after_ms: int


class Fault(TypedDict):
    loc: list[str | int]
    msg: str
    type: str


class Faults(TypedDict):
    detail: list[Fault]


class CountersRecord(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    image: str
    start_ts: int
    end_ts: int
    market_oracle_counter: int | None
    real_counter: int | None
    market_ui_counter: int | None
    settlement_delta: int | None
    display_delta: int | None
    internal_delta: int | None
    deleted_count: int | None
    via: Literal["timeline", "oracle_list"] | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    history_percent: int | None
    as_of: AsOf


class TweetsRecord(TypedDict):
    tweet_id: str
    text: str
    created_ts: int
    is_reply: bool | None
    is_quote: bool | None
    is_retweet: bool
    is_counted: bool | None
    seen_ts: int
    deleted_ts: int | None
    url: str
    via: Literal["timeline", "oracle_list", "import"]
    oracle_ts: int | None
    as_of: AsOf


class VelocityRecord(TypedDict):
    account: str
    velocity_counted_1h: float | None
    velocity_all_1h: float | None
    as_of: AsOf


class PredictionRecordForecast(TypedDict):
    p5: float
    p50: float
    p95: float


class PredictionRecordSettlement(TypedDict):
    offset_p5: int
    offset_p50: int
    offset_p95: int


class PredictionRecordDistribution(TypedDict):
    count: float
    prob: float


class PredictionRecordMoved(TypedDict):
    cause: Literal["new_post", "post_deleted", "oracle", "clock", "model"]
    p50: float


class PredictionRecordMarkets(TypedDict):
    title: str
    market_price: float | None
    token_id: str
    lo: int | None
    hi: int | None
    price_ts: int | None
    price_kind: Literal["mid", "last", "ui"] | None
    best_bid: float | None
    best_ask: float | None
    bid_size: float | None
    ask_size: float | None
    model_prob: NotRequired[float | None]
    edge: NotRequired[float | None]
    signal: NotRequired[Literal["STRONG_BUY", "BUY", "SLIGHT_BUY", "HOLD", "SELL"] | None]


class PredictionRecord(TypedDict):
    seconds_remaining: int
    event_id: int
    event_title: str
    event_slug: str
    image: str
    start_ts: int
    end_ts: int
    market_oracle_counter: int | None
    real_counter: int | None
    market_ui_counter: int | None
    settlement_delta: int | None
    display_delta: int | None
    internal_delta: int | None
    deleted_count: int | None
    via: Literal["timeline", "oracle_list"] | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    history_percent: int | None
    velocity_counted_1h: NotRequired[float | None]
    velocity_all_1h: NotRequired[float | None]
    forecast: NotRequired[PredictionRecordForecast | None]
    settlement: NotRequired[PredictionRecordSettlement | None]
    sleep_probability: NotRequired[float | None]
    model_version: NotRequired[str | None]
    forecast_id: NotRequired[str | None]
    forecast_ts: NotRequired[int | None]
    distribution: NotRequired[list[PredictionRecordDistribution] | None]
    flip_risk: NotRequired[float | None]
    moved: NotRequired[list[PredictionRecordMoved] | None]
    markets: list[PredictionRecordMarkets]
    as_of: AsOf


class SignalsRecordTrackRecord(TypedDict):
    horizon: int | None
    sample_size: int
    n_live: int
    n_backfilled: int
    n_market: int
    proven_against: list[Literal["pace", "market"]]
    coverage90: float | None
    top_bucket_hit_rate: float | None
    top_bucket_mean_prob: float | None
    crps_difference_pace: float | None
    log_score_difference_market: float | None
    market_sample_size: int


class SignalsRecordSignalsCut(TypedDict):
    by: Literal["event_cap", "unproven", "account_cap", "depth", "minimum"]
    fraction: float


class SignalsRecordSignalsBuyNoCut(TypedDict):
    by: Literal["event_cap", "unproven", "account_cap", "depth", "minimum"]
    fraction: float


class SignalsRecordSignalsBuyNo(TypedDict):
    token_id: str
    model_prob: float
    edge_net: float
    kelly_full: float
    limit_price: float
    available_usd: float | None
    kelly_fraction: float
    suggested_bet: float
    cut: list[SignalsRecordSignalsBuyNoCut]


class SignalsRecordSignals(TypedDict):
    bucket: str
    token_id: str
    action: Literal["BUY", "SELL", "HOLD", "SKIP"]
    strategy: Literal["TWO_BUCKET", "SINGLE_BUCKET", "RISK_MANAGEMENT"] | None
    model_prob: float | None
    market_price: float | None
    edge: float | None
    edge_net: float | None
    ev: float | None
    kelly_fraction: float
    suggested_bet: float
    kelly_full: float | None
    limit_price: float | None
    available_usd: float | None
    cut: list[SignalsRecordSignalsCut]
    proven: bool
    confidence: Literal["HIGH", "MEDIUM", "LOW"]
    moneyness: float | None
    time_confidence: Literal["HIGH", "MEDIUM", "LOW"]
    asymmetry_edge: int | None
    best_bid: float | None
    best_ask: float | None
    bid_size: float | None
    ask_size: float | None
    fee_rate: float
    buy_no: SignalsRecordSignalsBuyNo | None
    reason_codes: list[str]
    reasons: list[str]
    bankroll: float


class SignalsRecordBUY(TypedDict):
    strategy: Literal["TWO_BUCKET", "SINGLE_BUCKET"]
    buckets: list[str]
    token_ids: list[str]
    stake_fraction: float
    stake_usd: float
    stakes_usd: list[float]
    measured_win_rate: float | None
    sample_size: int
    n_unproven: int


class SignalsRecordSELLBuyNoCut(TypedDict):
    by: Literal["event_cap", "unproven", "account_cap", "depth", "minimum"]
    fraction: float


class SignalsRecordSELLBuyNo(TypedDict):
    token_id: str
    model_prob: float
    edge_net: float
    kelly_full: float
    limit_price: float
    available_usd: float | None
    kelly_fraction: float
    suggested_bet: float
    cut: list[SignalsRecordSELLBuyNoCut]


class SignalsRecordSELL(TypedDict):
    strategy: Literal["RISK_MANAGEMENT"]
    bucket: str
    token_id: str
    edge: float | None
    limit_price: float | None
    available_usd: float | None
    buy_no: SignalsRecordSELLBuyNo | None


class SignalsRecordCrossingsCountLeftBucketOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class SignalsRecordCrossingsCountLeftBucket(TypedDict):
    kind: Literal["count_left_bucket"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: SignalsRecordCrossingsCountLeftBucketOracleLag
    bucket: str
    token_id: str
    best_bid: float
    bid_size: float | None
    model_prob: float | None
    gain_usd: float | None
    expected_value_usd: float | None
    since_ts: int | None


class SignalsRecordCrossingsOracleStalledOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class SignalsRecordCrossingsOracleStalled(TypedDict):
    kind: Literal["oracle_stalled"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: SignalsRecordCrossingsOracleStalledOracleLag
    waiting: int
    since_ts: int
    limit_ms: float
    bucket: str | None
    token_id: str | None
    best_ask: float | None
    ask_size: float | None
    model_prob: float | None
    expected_value_usd: float | None


class SignalsRecordCrossingsNearEdgeOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class SignalsRecordCrossingsNearEdge(TypedDict):
    kind: Literal["near_edge"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: SignalsRecordCrossingsNearEdgeOracleLag
    bucket: str
    next_bucket: str
    next_token_id: str
    posts_to_next: int
    within_ms: int
    probability: float
    velocity_counted_1h: int
    best_ask: float | None
    ask_size: float | None
    model_prob: float | None
    expected_value_usd: float | None


class SignalsRecordCrossingsFlipLikelyOracleLag(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class SignalsRecordCrossingsFlipLikely(TypedDict):
    kind: Literal["flip_likely"]
    text: str
    real_counter: int | None
    market_oracle_counter: int | None
    market_ui_counter: int | None
    oracle_lag: SignalsRecordCrossingsFlipLikelyOracleLag
    flip_risk: float
    real_bucket: str | None
    oracle_bucket: str | None
    bucket: str | None
    token_id: str | None
    best_ask: float | None
    ask_size: float | None
    model_prob: float | None
    expected_value_usd: float | None


class SignalsRecord(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    end_ts: int
    forecast_id: str | None
    p50: float | None
    stale: list[Literal["posts", "oracle", "ui", "prices"]]
    proven: bool
    track_record: SignalsRecordTrackRecord | None
    signals: list[SignalsRecordSignals]
    BUY: list[SignalsRecordBUY]
    SELL: list[SignalsRecordSELL]
    crossings: (list[SignalsRecordCrossingsCountLeftBucket | SignalsRecordCrossingsOracleStalled |
        SignalsRecordCrossingsNearEdge | SignalsRecordCrossingsFlipLikely])
    as_of: AsOf


class CryptoRecordMarkets(TypedDict):
    title: str
    token_id: str
    market_price: float | None
    price_ts: int | None


class CryptoRecord(TypedDict):
    event_id: int
    event_title: str
    event_slug: str
    image: str
    symbol: str
    kind: Literal["UP_DOWN", "RANGE", "LADDER", "TOUCH"]
    start_ts: int | None
    end_ts: int
    seconds_remaining: int
    spot_price: float | None
    spot_ts: int | None
    reference_price: float | None
    markets: list[CryptoRecordMarkets]
    stale: list[Literal["prices", "events", "crypto"]]
    as_of: AsOf


class LagRecordSeen(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class LagRecordOracle(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class LagRecordUi(TypedDict):
    n: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


class LagRecord(TypedDict):
    account: str
    seen: LagRecordSeen
    oracle: LagRecordOracle
    ui: LagRecordUi
    as_of: AsOf


class TestRecord(TypedDict):
    observation: int
    ts: int


class CountersSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["counters"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[CountersRecord]


class CountersUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["counters"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: CountersRecord | None


class TweetsSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["tweets"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[TweetsRecord]


class TweetsUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["tweets"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: TweetsRecord | None


class VelocitySnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["velocity"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[VelocityRecord]


class VelocityUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["velocity"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: VelocityRecord | None


class PredictionSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["prediction"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[PredictionRecord]


class PredictionUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["prediction"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: PredictionRecord | None


class SignalsSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["signals"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[SignalsRecord]


class SignalsUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["signals"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: SignalsRecord | None


class CryptoSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["crypto"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[CryptoRecord]


class CryptoUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["crypto"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: CryptoRecord | None


class LagSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["lag"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[LagRecord]


class LagUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["lag"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: LagRecord | None


class TestSnapshot(TypedDict):
    type: Literal["snapshot"]
    channel: Literal["test"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: None
    events_known: NotRequired[Literal[False]]
    data: list[TestRecord]


class TestUpdate(TypedDict):
    type: Literal["update"]
    channel: Literal["test"]
    account: str | None
    epoch: str
    seq: int
    ts: int
    cause: list[Literal["new_post", "post_deleted", "oracle", "ui", "price", "clock", "sleep_state", "model",
        "event_opened", "event_closed"]]
    prev_seq: int
    merged: NotRequired[int]
    key: str
    data: TestRecord | None


class HeartbeatFrame(TypedDict):
    type: Literal["heartbeat"]
    channel: Literal["heartbeat"]
    account: NotRequired[str]
    epoch: str
    ts: int
    seqs: dict[str, Any]
    ages_ms: dict[str, Any]
    stale: list[str]
    history_percent: dict[str, Any]
    events_known: bool


class SubscribedFrameChannels(TypedDict):
    channel: Literal["counters", "tweets", "velocity", "prediction", "signals", "crypto", "lag", "heartbeat",
        "test"]
    account: str | None
    seq: int | None
    resumed: bool


class SubscribedFrame(TypedDict):
    type: Literal["subscribed"]
    id: int | str | None
    epoch: str
    channels: list[SubscribedFrameChannels]


class UnsubscribedFrameChannels(TypedDict):
    channel: Literal["counters", "tweets", "velocity", "prediction", "signals", "crypto", "lag", "heartbeat",
        "test"]
    account: str | None


class UnsubscribedFrame(TypedDict):
    type: Literal["unsubscribed"]
    id: int | str | None
    channels: list[UnsubscribedFrameChannels]


class AuthenticatedFrame(TypedDict):
    type: Literal["authenticated"]
    id: int | str | None
    tier: Literal["FREE", "PRO", "INTERNAL"]


class PongFrame(TypedDict):
    type: Literal["pong"]
    id: int | str | None
    ts: int
    pipeline_ts: int


class ErrorFrame(TypedDict):
    type: Literal["error"]
    id: int | str | None
    code: str
    detail: str
    channel: NotRequired[Literal["counters", "tweets", "velocity", "prediction", "signals", "crypto", "lag",
        "heartbeat", "test"]]
    account: NotRequired[str | None]
    oldest_seq: NotRequired[int]


class GoodbyeFrame(TypedDict):
    type: Literal["goodbye"]
    ts: int
    reason: str


CountersFrame = CountersSnapshot | CountersUpdate
TweetsFrame = TweetsSnapshot | TweetsUpdate
VelocityFrame = VelocitySnapshot | VelocityUpdate
PredictionFrame = PredictionSnapshot | PredictionUpdate
SignalsFrame = SignalsSnapshot | SignalsUpdate
CryptoFrame = CryptoSnapshot | CryptoUpdate
LagFrame = LagSnapshot | LagUpdate
TestFrame = TestSnapshot | TestUpdate
Frame = (CountersFrame | TweetsFrame | VelocityFrame | PredictionFrame | SignalsFrame | CryptoFrame | LagFrame
    | TestFrame)
DataChannel = Literal["counters", "tweets", "velocity", "prediction", "signals", "crypto", "lag", "test"]
