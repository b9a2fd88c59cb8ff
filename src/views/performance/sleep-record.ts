import type { RecordOf } from '../../contract/record-of.ts';
import type { sleepScoreRecord } from '../../contract/records/sleep-score.ts';
import type { AccountPath } from '../account-path.ts';
import type { Latest } from '../latest.ts';
import { round4 } from '../round.ts';

/** The scores of the sleep probability, one record for each account. */
export function sleepScoresToWire(
  latest: Latest,
  accounts: readonly AccountPath[],
): readonly RecordOf<typeof sleepScoreRecord>[] {
  return accounts.map(({ id, segment }) => {
    const score = latest.get('sleep', id)?.record;
    return {
      account: segment,
      n: score?.n ?? 0,
      brier: round4(score?.brier ?? null),
      baseline_brier: round4(score?.baselineBrier ?? null),
    };
  });
}
