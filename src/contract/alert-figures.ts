/** What a figure is about: an account, an event of it, or a bucket of an event. */
type FigureOf = 'account' | 'event' | 'bucket';

interface AlertFigure {
  readonly of: FigureOf;
  readonly description: string;
}

const ahead = (what: string) => `how far our own count is ahead of ${what}`;
const stale = (what: string) => `1 while ${what} have not answered for longer than their limit, else 0`;
const lag = (share: string, until: string) => `within this time ${share} of the posts of 24 h ${until}, ms`;
/** The figures that an alert can watch, named as in the records that show them. */
export const ALERT_FIGURES = {
  market_oracle_counter: { of: 'event', description: "the settlement oracle's count" },
  real_counter: { of: 'event', description: 'our own count' },
  market_ui_counter: { of: 'event', description: "the trading page's count" },
  settlement_delta: { of: 'event', description: ahead('the oracle') },
  display_delta: { of: 'event', description: ahead('the trading page') },
  internal_delta: { of: 'event', description: "how far the trading page's count is ahead of the oracle's" },
  deleted_count: { of: 'event', description: 'deleted posts in our own count' },
  history_percent: { of: 'event', description: 'how much of the window was read, percent' },
  stale_inputs: { of: 'event', description: 'how many of posts, oracle, ui and prices are stale' },
  stale_posts: { of: 'event', description: stale('posts') },
  stale_oracle: {
    of: 'event',
    description: '1 while the oracle has not answered for longer than its limit, else 0',
  },
  stale_ui: {
    of: 'event',
    description: '1 while the page has not answered for longer than its limit, else 0',
  },
  stale_prices: { of: 'event', description: stale('prices') },
  p5: { of: 'event', description: '5th percentile of the forecast' },
  p50: { of: 'event', description: 'median of the forecast' },
  p95: { of: 'event', description: '95th percentile of the forecast' },
  sleep_probability: { of: 'event', description: 'probability that the account sleeps' },
  flip_risk: {
    of: 'event',
    description: 'probability that another bucket settles than the counts show at the close',
  },
  model_prob: { of: 'bucket', description: 'probability of the bucket by the model' },
  market_price: { of: 'bucket', description: 'price of a Yes share' },
  best_bid: { of: 'bucket', description: 'best bid for a Yes share' },
  best_ask: { of: 'bucket', description: 'best ask for a Yes share' },
  edge: { of: 'bucket', description: 'model_prob minus market_price' },
  velocity_counted_1h: { of: 'account', description: 'counted posts of the last hour' },
  velocity_all_1h: { of: 'account', description: 'posts of the last hour' },
  seen_p50_ms: { of: 'account', description: lag('half', 'were seen by this service') },
  seen_p90_ms: { of: 'account', description: lag('nine of ten', 'were seen by this service') },
  seen_p99_ms: { of: 'account', description: lag('99 of 100', 'were seen by this service') },
  oracle_p50_ms: { of: 'account', description: lag('half', 'were counted by the oracle') },
  oracle_p90_ms: { of: 'account', description: lag('nine of ten', 'were counted by the oracle') },
  oracle_p99_ms: { of: 'account', description: lag('99 of 100', 'were counted by the oracle') },
  ui_p50_ms: { of: 'account', description: lag('half', 'were shown by the trading page') },
  ui_p90_ms: { of: 'account', description: lag('nine of ten', 'were shown by the trading page') },
  ui_p99_ms: { of: 'account', description: lag('99 of 100', 'were shown by the trading page') },
} as const satisfies Readonly<Record<string, AlertFigure>>;

export type AlertFigureName = keyof typeof ALERT_FIGURES;

// `Object.keys` returns strings, as an object may have more keys than its type.
export const ALERT_FIGURE_NAMES = Object.keys(ALERT_FIGURES) as readonly AlertFigureName[];

const ALERT_SIGNS = ['>', '>=', '<', '<=', '==', '!='] as const;
type AlertSign = (typeof ALERT_SIGNS)[number];

/** A comparison of a figure with a number, which holds or does not. */
export interface AlertCondition {
  readonly figure: AlertFigureName;
  readonly sign: AlertSign;
  readonly value: number;
}

const FORM = /^\s*([a-z0-9_]{1,40})\s*(>=|<=|==|!=|>|<)\s*(-?\d{1,12}(?:\.\d{1,9})?)\s*$/;

/** Reads a text such as `edge >= 0.1`; undefined when it is no comparison of a known figure. */
export function readCondition(text: string): AlertCondition | undefined {
  const [, name, sign, value] = FORM.exec(text) ?? [];
  const figure = ALERT_FIGURE_NAMES.find((each) => each === name);
  const known = ALERT_SIGNS.find((each) => each === sign);
  return figure === undefined || known === undefined
    ? undefined
    : { figure, sign: known, value: Number(value) };
}

export function conditionText({ figure, sign, value }: AlertCondition): string {
  return `${figure} ${sign} ${value}`;
}
