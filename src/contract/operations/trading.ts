import { API_PREFIX } from '../api-prefix.ts';
import { ONCE, type Operation, STATE } from '../operation.ts';
import { portfolioQuery, rebalancingQuery, signalsQuery } from '../params.ts';

const WALLET = {
  ...ONCE,
  tag: 'Trading',
  access: 'PRO',
  isCounted: true,
  refusals: ['WalletInvalid', 'MarketUnreachable'],
} as const;

/** Signals and wallets (spec 4, endpoints 8 to 12). */
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
      'An action and a bet for every bucket that can still win, of every active event, and the orders of the strategies.',
    query: signalsQuery,
    answer: 'SignalsAnswer',
  },
  {
    ...WALLET,
    id: 'getPortfolio',
    path: `${API_PREFIX}/portfolio/{account}`,
    parameterNeeds: { bankroll: 'hasSizing' },
    summary: 'Positions of a wallet against the model',
    description:
      'Open positions of the wallet in active events of the account, each with the estimate of the model. With a bankroll each is sized.',
    query: portfolioQuery,
    answer: 'PortfolioAnswer',
  },
  {
    ...WALLET,
    id: 'getRebalancing',
    path: `${API_PREFIX}/portfolio/{account}/rebalancing`,
    needs: 'hasRebalancing',
    summary: 'What a wallet should change',
    description:
      'Positions of the wallet that differ from their target size by the threshold or more, the largest difference first.',
    query: rebalancingQuery,
    answer: 'RebalancingAnswer',
  },
];
