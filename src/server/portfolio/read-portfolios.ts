import type { AccountId } from '../../../streams/internal.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { activeEvents } from '../../views/active-events.ts';
import type { AgeLimits } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import { eventFacts } from '../../views/portfolio/event-facts.ts';
import { type Portfolio, portfolioOf } from '../../views/portfolio/portfolio.ts';
import type { Wallets } from './wallets.ts';

/** What the endpoints about wallets read. */
export interface PortfolioDeps {
  readonly latest: Latest;
  readonly wallets: Wallets;
  readonly accounts: readonly AccountPath[];
  /** UTC ms. */
  readonly now: () => number;
  readonly staleAfterMs: AgeLimits;
}

/**
 * A wallet in every active event of an account, the one that ends first first. None when no event is active: the
 * market is not even asked then, as no answer of it could matter.
 */
export async function readPortfolios(
  { latest, wallets, now, staleAfterMs }: PortfolioDeps,
  account: AccountId,
  wallet: string,
): Promise<readonly Portfolio[]> {
  if (activeEvents(latest, account).length === 0) return [];
  const held = await wallets.of(wallet);
  // Read after the waiting: forecasts, prices and the events themselves may have moved on.
  const view = { latest, account, nowMs: now(), staleAfterMs };
  return activeEvents(latest, account).map((event) => portfolioOf(eventFacts(event, view), held, view));
}
