import type { AccountId } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { portfolioQuery, walletQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { emptyPortfolioToWire, portfolioToWire } from '../../views/portfolio/portfolio-record.ts';
import type { SlowEndpoint } from '../answer.ts';
import type { PortfolioDeps } from '../portfolio/read-portfolios.ts';
import { walletAnswer } from '../portfolio/wallet-answer.ts';

/** The account whose positions are sized for a bankroll; other accounts have no such parameter (spec 4). */
export const WITH_SIZING: AccountId = 'a';

/** GET /portfolio/{account}: a wallet's open positions compared with the model (spec 4, endpoints 10 and 12). */
export function portfolioEndpoints(deps: PortfolioDeps): readonly SlowEndpoint[] {
  return deps.accounts.map(({ id, segment }) => ({
    method: 'GET',
    path: `${API_PREFIX}/portfolio/${segment}`,
    access: 'PRO',
    async answer({ query }) {
      const { wallet, bankroll } = queryOf(id, query);
      return walletAnswer(deps, id, wallet, {
        toWire: (portfolio) => portfolioToWire(wallet, portfolio, bankroll),
        none: emptyPortfolioToWire(wallet, segment),
      });
    },
  }));
}

function queryOf(account: AccountId, query: string): { wallet: string; bankroll?: number | undefined } {
  return account === WITH_SIZING ? readQuery(portfolioQuery, query) : readQuery(walletQuery, query);
}
