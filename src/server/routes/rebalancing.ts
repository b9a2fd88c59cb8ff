import { API_PREFIX } from '../../contract/api-prefix.ts';
import { rebalancingQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { emptyRebalancingToWire, rebalancingToWire } from '../../views/portfolio/rebalancing-record.ts';
import type { SlowEndpoint } from '../answer.ts';
import type { PortfolioDeps } from '../portfolio/read-portfolios.ts';
import { walletAnswer } from '../portfolio/wallet-answer.ts';
import { WITH_SIZING } from './portfolio.ts';

/** GET /portfolio/{account}/rebalancing: what to buy more of and what to sell (spec 4, endpoint 11). */
export function rebalancingEndpoints(deps: PortfolioDeps): readonly SlowEndpoint[] {
  const accounts = deps.accounts.filter(({ id }) => id === WITH_SIZING);
  return accounts.map(({ id, segment }) => ({
    method: 'GET',
    path: `${API_PREFIX}/portfolio/${segment}/rebalancing`,
    access: 'PRO',
    async answer(call) {
      const query = readQuery(rebalancingQuery, call.query);
      return walletAnswer(deps, id, query.wallet, {
        toWire: (portfolio) => rebalancingToWire(portfolio, query),
        none: emptyRebalancingToWire(query, segment),
      });
    },
  }));
}
