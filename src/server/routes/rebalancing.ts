import { rebalancingQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { emptyRebalancingToWire, rebalancingToWire } from '../../views/portfolio/rebalancing-record.ts';
import type { PlainEndpoint } from '../answer.ts';
import type { PortfolioDeps } from '../portfolio/read-portfolios.ts';
import { walletAnswer } from '../portfolio/wallet-answer.ts';
import { accountRoute } from './account-route.ts';

/** GET /portfolio/{account}/rebalancing: what to buy more of and what to sell (spec 4, endpoint 11). */
export function rebalancingEndpoints(deps: PortfolioDeps): readonly PlainEndpoint[] {
  const accounts = deps.accounts.filter(({ policy }) => policy.hasRebalancing);
  return accounts.map((account) => ({
    method: 'GET',
    ...accountRoute('/portfolio/{account}/rebalancing', account),
    access: 'PRO',
    async answer(call) {
      const query = readQuery(rebalancingQuery, call.query);
      return walletAnswer(deps, account, query.wallet, {
        toWire: (portfolio) => rebalancingToWire(portfolio, query),
        none: emptyRebalancingToWire(query, account.segment),
      });
    },
  }));
}
