import { portfolioQuery, walletQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { emptyPortfolioToWire, portfolioToWire } from '../../views/portfolio/portfolio-record.ts';
import type { PlainEndpoint } from '../answer.ts';
import type { PortfolioDeps } from '../portfolio/read-portfolios.ts';
import { walletAnswer } from '../portfolio/wallet-answer.ts';
import { accountRoute } from './account-route.ts';

/** GET /portfolio/{account}: a wallet's open positions compared with the model (spec 4, endpoints 10 and 12). */
export function portfolioEndpoints(deps: PortfolioDeps): readonly PlainEndpoint[] {
  return deps.accounts.map((account) => ({
    method: 'GET',
    ...accountRoute('/portfolio/{account}', account),
    access: 'PRO',
    async answer({ query }) {
      const { wallet, bankroll } = queryOf(account, query);
      return walletAnswer(deps, account, wallet, {
        toWire: (portfolio) => portfolioToWire(wallet, portfolio, bankroll),
        none: emptyPortfolioToWire(wallet, account.segment),
      });
    },
  }));
}

interface WalletRequest {
  readonly wallet: string;
  readonly bankroll?: number | undefined;
}

/** An account whose positions are not sized has no bankroll (spec 4). */
function queryOf({ policy }: AccountPath, query: string): WalletRequest {
  return policy.hasSizing ? readQuery(portfolioQuery, query) : readQuery(walletQuery, query);
}
