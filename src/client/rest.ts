import type { CallOptions, Http } from './http.ts';
import type {
  AccountQuery,
  AlertRuleRequest,
  Answer,
  ComponentName,
  DeadAlertsQuery,
  HistoryQuery,
  MinutesQuery,
  PastQuery,
  PortfolioQuery,
  RebalancingQuery,
  SignalsQuery,
  TweetsQuery,
  UsageByEndpointQuery,
  UsageErrorsQuery,
  UsageSummaryQuery,
  WaitlistRequest,
} from './wire.ts';

/** Options of a call that may be about the past: `as_of` is an instant in UTC ms or ISO 8601, and needs tier PRO. */
export type PastOptions = PastQuery & CallOptions;

/** Options of a call that may be about one account alone. */
export type AccountOptions = AccountQuery & CallOptions;

/** One method per endpoint. An account is named by its path segment. Refusals are thrown as TallywireError. */
export interface Rest {
  /** The accounts that the service follows, with their active events. */
  accounts(options?: CallOptions): Promise<Answer<'AccountsAnswer'>>;
  meta(account: string, options?: PastOptions): Promise<Answer<'CountersAnswer'>>;
  crypto(options?: CallOptions): Promise<Answer<'CryptoAnswer'>>;
  tweets(account: string, query?: TweetsQuery, options?: CallOptions): Promise<Answer<'PostsAnswer'>>;
  lag(account: string, options?: PastOptions): Promise<Answer<'LagAnswer'>>;
  prediction(account: string, options?: PastOptions): Promise<Answer<'PredictionAnswer'>>;
  /** Market and model of an event over time, a page at a time: `next_to_ts` of an answer is the `to` of the page before it. */
  history(
    account: string,
    event: number,
    query?: MinutesQuery,
    options?: CallOptions,
  ): Promise<Answer<'HistoryAnswer'>>;
  signals(account: string, query?: SignalsQuery, options?: CallOptions): Promise<Answer<'SignalsAnswer'>>;
  portfolio(
    account: string,
    query: PortfolioQuery,
    options?: CallOptions,
  ): Promise<Answer<'PortfolioAnswer'>>;
  rebalancing(
    account: string,
    query: RebalancingQuery,
    options?: CallOptions,
  ): Promise<Answer<'RebalancingAnswer'>>;
  /** An unavailable service is not thrown: the record says so. */
  health(options?: CallOptions): Promise<Answer<'Health'>>;
  joinWaitlist(body: WaitlistRequest, options?: CallOptions): Promise<Answer<'WaitlistPlace'>>;
  readonly performance: {
    overview(options?: AccountOptions): Promise<Answer<'PerformanceOverview'>>;
    history(query?: HistoryQuery, options?: CallOptions): Promise<Answer<'PerformanceHistory'>>;
    calibration(options?: AccountOptions): Promise<Answer<'Calibration'>>;
  };
  /** The rules of the key, which has to be one of tier PRO. */
  readonly alerts: {
    list(options?: CallOptions): Promise<Answer<'AlertRulesAnswer'>>;
    /** The secret of a webhook is in this answer and in no other. */
    add(rule: AlertRuleRequest, options?: CallOptions): Promise<Answer<'MadeAlertRule'>>;
    remove(id: string, options?: CallOptions): Promise<Answer<'RemovedAlertRule'>>;
    dead(query?: DeadAlertsQuery, options?: CallOptions): Promise<Answer<'DeadAlertsAnswer'>>;
  };
  readonly usage: {
    summary(query?: UsageSummaryQuery, options?: CallOptions): Promise<Answer<'UsageSummary'>>;
    byEndpoint(query: UsageByEndpointQuery, options?: CallOptions): Promise<Answer<'UsageByEndpoint'>>;
    errors(query?: UsageErrorsQuery, options?: CallOptions): Promise<Answer<'UsageErrors'>>;
    stats(options?: CallOptions): Promise<Answer<'UsageStats'>>;
  };
}

type Query = Readonly<Record<string, unknown>>;

export function createRest({ call }: Http): Rest {
  // The server's tests hold its answers against the schemas that these types come from.
  async function get<Name extends ComponentName>(
    path: string,
    options?: CallOptions,
    query?: Query,
  ): Promise<Answer<Name>> {
    return (await call(path, { ...options, query })) as Answer<Name>;
  }
  /** A call whose only parameter is the instant. */
  function getPast<Name extends ComponentName>(
    path: string,
    { as_of, ...options }: PastOptions = {},
  ): Promise<Answer<Name>> {
    return get<Name>(path, options, { as_of });
  }
  const at = (base: string, account: string, rest = '') => `${base}/${encodeURIComponent(account)}${rest}`;
  return {
    accounts: (options) => get<'AccountsAnswer'>('/accounts', options),
    meta: (account, options) => getPast<'CountersAnswer'>(at('/meta', account), options),
    crypto: (options) => get<'CryptoAnswer'>('/meta/crypto', options),
    tweets: (account, query, options) => get<'PostsAnswer'>(at('/meta', account, '/tweets'), options, query),
    lag: (account, options) => getPast<'LagAnswer'>(at('/meta', account, '/lag'), options),
    prediction: (account, options) => getPast<'PredictionAnswer'>(at('/prediction', account), options),
    history: (account, event, query, options) =>
      get<'HistoryAnswer'>(at('/history', account, `/${event}`), options, query),
    signals: (account, query, options) => get<'SignalsAnswer'>(at('/signals', account), options, query),
    portfolio: (account, query, options) => get<'PortfolioAnswer'>(at('/portfolio', account), options, query),
    rebalancing: (account, query, options) =>
      get<'RebalancingAnswer'>(at('/portfolio', account, '/rebalancing'), options, query),
    health: async (options) =>
      (await call('/health', { ...options, acceptedStatuses: [503] })) as Answer<'Health'>,
    joinWaitlist: async (body, options) =>
      (await call('/waitlist', { ...options, body })) as Answer<'WaitlistPlace'>,
    performance: {
      overview: ({ account, ...options } = {}) =>
        get<'PerformanceOverview'>('/performance/overview', options, { account }),
      history: (query, options) => get<'PerformanceHistory'>('/performance/history', options, query),
      calibration: ({ account, ...options } = {}) =>
        get<'Calibration'>('/performance/calibration', options, { account }),
    },
    alerts: {
      list: (options) => get<'AlertRulesAnswer'>('/alerts', options),
      add: async (body, options) => (await call('/alerts', { ...options, body })) as Answer<'MadeAlertRule'>,
      remove: async (id, options) =>
        (await call('/alerts', {
          ...options,
          method: 'DELETE',
          query: { id },
        })) as Answer<'RemovedAlertRule'>,
      dead: (query, options) => get<'DeadAlertsAnswer'>('/alerts/dead', options, query),
    },
    usage: {
      summary: (query, options) => get<'UsageSummary'>('/usage/summary', options, query),
      byEndpoint: (query, options) => get<'UsageByEndpoint'>('/usage/by-endpoint', options, query),
      errors: (query, options) => get<'UsageErrors'>('/usage/errors', options, query),
      stats: (options) => get<'UsageStats'>('/usage/stats', options),
    },
  };
}
