import type { AccountId } from '../../../streams/index.ts';
import type { Latest } from '../../store/latest.ts';
import type { Answer } from '../answer.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import { plainAnswer } from '../plain-answer.ts';
import { agesOf, withAsOf } from '../wire/as-of.ts';
import type { Portfolio } from './portfolio.ts';

/** One record per portfolio, or the record of none. Nobody but the caller is to keep what a wallet holds. */
export function walletAnswer(
  latest: Latest,
  account: AccountId,
  nowMs: number,
  records: readonly { readonly fields: object; readonly portfolio: Portfolio | undefined }[],
): Answer {
  const ages = agesOf(latest, nowMs, account);
  const data = records.map(({ fields, portfolio }) =>
    withAsOf(fields, portfolio?.facts.origin ?? { seq: latest.seq, at: latest.at }, ages),
  );
  return plainAnswer(200, JSON_TYPE, JSON.stringify({ timestamp: nowMs, data }), API_HEADERS);
}
