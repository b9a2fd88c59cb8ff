import { API_PREFIX } from '../api-prefix.ts';
import { ONCE, type Operation, STATE } from '../operation.ts';
import { portfolioQuery, rebalancingQuery, signalsQuery, walletQuery } from '../params.ts';

const WALLET = {
  ...ONCE,
  tag: 'Trading',
  access: 'PRO',
  isCounted: true,
  refusals: ['WalletInvalid', 'MarketUnreachable'],
} as const;

/** What to do about it (spec 4, endpoints 8 to 12). */
export const TRADING: readonly Operation[] = [
  {
    ...STATE,
    id: 'getSignals',
    path: `${API_PREFIX}/signals/{account}`,
    tag: 'Trading',
    access: 'PRO',
    isCounted: true,
    summary: 'What to buy and sell',
    description:
      'For every bucket of every active event that can still win, what to do and how much to bet of the bankroll; and the orders of the strategies.',
    query: signalsQuery,
    answer: 'SignalsAnswer',
  },
  {
    ...WALLET,
    id: 'getPortfolio',
    path: `${API_PREFIX}/portfolio/{account}`,
    accounts: 'first',
    summary: 'Positions of a wallet against the model',
    description:
      'Open positions of the wallet in active events of the account, with what the model says of each. With a bankroll each is sized.',
    query: portfolioQuery,
    answer: 'PortfolioAnswer',
  },
  {
    ...WALLET,
    id: 'getRebalancing',
    path: `${API_PREFIX}/portfolio/{account}/rebalancing`,
    accounts: 'first',
    summary: 'What a wallet should change',
    description:
      'Positions of the wallet that are off their size by the threshold or more, the farthest first.',
    query: rebalancingQuery,
    answer: 'RebalancingAnswer',
  },
  {
    ...WALLET,
    id: 'getPortfolio',
    path: `${API_PREFIX}/portfolio/{account}`,
    accounts: 'others',
    summary: 'Positions of a wallet against the model',
    description:
      'Open positions of the wallet in active events of the account, with what the model says of each.',
    query: walletQuery,
    answer: 'PortfolioAnswer',
  },
];
