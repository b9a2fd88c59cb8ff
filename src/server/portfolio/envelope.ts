import type { AccountId } from '../../../streams/internal.ts';
import { agesOf, withAsOf } from '../../views/as-of.ts';
import type { Portfolio } from '../../views/portfolio/portfolio.ts';
import { type Answer, plainAnswer } from '../answer.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import type { PortfolioDeps } from './read-portfolios.ts';

/** One record per portfolio, or the record of none. Nobody but the caller is to keep what a wallet holds. */
export function walletAnswer(
  { latest, now }: Pick<PortfolioDeps, 'latest' | 'now'>,
  account: AccountId,
  records: readonly { readonly fields: object; readonly portfolio: Portfolio | undefined }[],
): Answer {
  const nowMs = now();
  const ages = agesOf(latest, nowMs, account);
  const data = records.map(({ fields, portfolio }) =>
    withAsOf(fields, portfolio?.facts.origin ?? { seq: latest.seq, at: latest.at }, ages),
  );
  return plainAnswer(200, JSON_TYPE, JSON.stringify({ timestamp: nowMs, data }), API_HEADERS);
}
