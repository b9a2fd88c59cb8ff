import type { AccountPath } from '../../views/account-path.ts';
import { activeEvents } from '../../views/active-events.ts';
import type { Latest } from '../../views/latest.ts';
import { eventFacts } from '../../views/portfolio/event-facts.ts';
import { type Portfolio, portfolioOf } from '../../views/portfolio/portfolio.ts';
import type { Wallets } from './wallets.ts';

export interface PortfolioDeps {
  readonly latest: Latest;
  readonly wallets: Wallets;
  readonly accounts: readonly AccountPath[];
  /** UTC ms. */
  readonly now: () => number;
}

/**
 * The portfolios of a wallet in the active events of an account, ordered by end. The market is not asked when no event
 * is active.
 */
export async function readPortfolios(
  { latest, wallets, now }: PortfolioDeps,
  { id: account, staleAfterMs }: AccountPath,
  wallet: string,
): Promise<readonly Portfolio[]> {
  if (activeEvents(latest, account).length === 0) return [];
  const held = await wallets.of(wallet);
  // Read again, as forecasts, prices and events may have changed while the market was asked.
  const moment = { latest, account, nowMs: now(), staleAfterMs };
  return activeEvents(latest, account).map((event) => portfolioOf(eventFacts(event, moment), held, moment));
}
