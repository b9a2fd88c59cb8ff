import type { AccountId } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { portfolioQuery, walletQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import { emptyPortfolioToWire, portfolioToWire } from '../../views/portfolio/portfolio-record.ts';
import type { SlowEndpoint } from '../answer.ts';
import { walletAnswer } from '../portfolio/envelope.ts';
import { type PortfolioDeps, readPortfolios } from '../portfolio/read-portfolios.ts';
import { checkWallet } from '../portfolio/wallet-address.ts';

/** The account whose positions are sized for a bankroll; of others the wallet is the only parameter (spec 4). */
export const WITH_SIZING: AccountId = 'a';

/** GET /portfolio/{account}: a wallet's open positions against the model (spec 4, endpoints 10 and 12). */
export function portfolioEndpoints(deps: PortfolioDeps): readonly SlowEndpoint[] {
  return deps.accounts.map(({ id, segment }) => ({
    method: 'GET',
    path: `${API_PREFIX}/portfolio/${segment}`,
    access: 'PRO',
    async answer({ query }) {
      const { wallet, bankroll } = queryOf(id, query);
      checkWallet(wallet);
      const portfolios = await readPortfolios(deps, id, wallet);
      const records = portfolios.map((portfolio) => ({
        fields: portfolioToWire(wallet, portfolio, bankroll),
        portfolio,
      }));
      const none = { fields: emptyPortfolioToWire(wallet, segment), portfolio: undefined };
      return walletAnswer(deps, id, records.length > 0 ? records : [none]);
    },
  }));
}

function queryOf(account: AccountId, query: string): { wallet: string; bankroll?: number | undefined } {
  return account === WITH_SIZING ? readQuery(portfolioQuery, query) : readQuery(walletQuery, query);
}
