import type { AccountPath } from '../../views/account-path.ts';
import { areEventsKnown } from '../../views/active-events.ts';
import { agesOf, ofRecord, withAsOf } from '../../views/as-of.ts';
import type { Portfolio } from '../../views/portfolio/portfolio.ts';
import { type Answer, plainAnswer } from '../answer.ts';
import { eventsUnknown } from '../events-unknown.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import { type PortfolioDeps, readPortfolios } from './read-portfolios.ts';
import { checkWallet } from './wallet-address.ts';

interface WalletRecords {
  toWire(portfolio: Portfolio): object;
  /** The one record of a wallet while no event is active. */
  readonly none: object;
}

/** Answers with one record per active event. No cache may keep it: it shows what a wallet holds. */
export async function walletAnswer(
  deps: PortfolioDeps,
  account: AccountPath,
  wallet: string,
  { toWire, none }: WalletRecords,
): Promise<Answer> {
  checkWallet(wallet);
  const portfolios = await readPortfolios(deps, account, wallet);
  const { latest } = deps;
  const nowMs = deps.now();
  if (portfolios.length === 0 && !areEventsKnown(latest, 'posts', nowMs)) throw eventsUnknown();
  const ages = agesOf(latest, nowMs, account.id);
  const data =
    portfolios.length === 0
      ? [withAsOf(none, latest, ages.shared)]
      : portfolios.map((portfolio) => {
          const { event, origin } = portfolio.facts;
          return withAsOf(toWire(portfolio), origin, ofRecord(ages, String(event.eventId)));
        });
  return plainAnswer(200, JSON_TYPE, JSON.stringify({ timestamp: nowMs, data }), API_HEADERS);
}
