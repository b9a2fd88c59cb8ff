import {
  type AccountId,
  HORIZON_HOURS,
  type ScoreRecord,
  type TrackRecord,
  trackRecords,
} from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { accountTrackRecord } from '../../contract/records/performance.ts';
import type { trackRecord } from '../../contract/records/signals.ts';
import type { AccountPath } from '../account-path.ts';
import { round4 } from '../round.ts';

/** The track record of every account and horizon: what the signals go by. */
export function trackRecordsToWire(
  scores: readonly ScoreRecord[],
  accounts: readonly AccountPath[],
): readonly RecordOf<typeof accountTrackRecord>[] {
  const byAccount = new Map<AccountId, ScoreRecord[]>(accounts.map(({ id }) => [id, []]));
  for (const score of scores) byAccount.get(score.account)?.push(score);
  return accounts.flatMap(({ id, segment }) => {
    const tracks = trackRecords(byAccount.get(id) ?? []);
    return HORIZON_HOURS.map((hours) => {
      const track = tracks(hours);
      const { confidence, isProven } = track;
      return { account: segment, confidence, proven: isProven, ...trackToWire(hours, track) };
    });
  });
}

export function trackToWire(horizonHours: number | null, track: TrackRecord): RecordOf<typeof trackRecord> {
  return {
    horizon: horizonHours,
    sample_size: track.n,
    n_live: track.nLive,
    n_backfilled: track.nBackfilled,
    n_market: track.nMarket,
    proven_against: track.provenAgainst,
    coverage90: round4(track.coverage),
    top_bucket_hit_rate: round4(track.hitRate),
    top_bucket_mean_prob: round4(track.meanTopProb),
    crps_difference_pace: round4(track.againstPace),
    log_score_difference_market: round4(track.againstMarket),
    market_sample_size: track.nMarket,
  };
}
