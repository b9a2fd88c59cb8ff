import { type AccountId, DAY_MS, type ScoreRecord, type VoidRecord } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { historyQuery, noQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { Calibration } from '../../views/performance/calibration.ts';
import {
  annotationsToWire,
  overviewToWire,
  sampleToWire,
  voidToWire,
} from '../../views/performance/performance-records.ts';
import { lastScoredAt, settledScores, voidForecasts } from '../../views/performance/scores.ts';
import { winRates } from '../../views/performance/win-rates.ts';
import { oncePerChange, type Watch } from '../../views/watch.ts';
import type { Endpoint } from '../answer.ts';
import { withCheckedQuery } from '../checked-query.ts';
import { namesTag } from '../etag.ts';
import { createPrebuilt, notModified, streamAnswer, tagOf } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /performance/overview: errors by horizon and win rates (spec 4, endpoint 15). */
export function overviewEndpoint({ latest, accounts, now, epoch }: StreamDeps, watch: Watch): Endpoint {
  const fields = oncePerChange(watch, () => {
    const scores = settledScores(latest);
    const overview = overviewToWire(scores, winRates(latest), accounts, lastScoredAt(latest) ?? now());
    return { n: scores.length, text: JSON.stringify(overview).slice(1, -1) };
  });
  return {
    path: `${API_PREFIX}/performance/overview`,
    access: 'public',
    answer: withCheckedQuery(
      noQuery,
      createPrebuilt({
        watch,
        variant: `${epoch}-overview`,
        now,
        size: () => fields().n,
        build: () => fields().text,
      }),
    ),
  };
}

/** GET /performance/calibration: how reliable the probabilities are, compared with pace and market. */
export function calibrationEndpoint({ now, epoch }: StreamDeps, calibration: Calibration): Endpoint {
  return {
    path: `${API_PREFIX}/performance/calibration`,
    access: 'public',
    answer: withCheckedQuery(
      noQuery,
      createPrebuilt({
        watch: calibration.watch,
        variant: `${epoch}-calibration`,
        now,
        size: () => calibration.watch.revision,
        build: () => calibration.text(),
      }),
    ),
  };
}

interface Shown {
  readonly record: ScoreRecord | VoidRecord;
  readonly text: string;
}

/** GET /performance/history: the error of every settled event, ordered by close (spec 4, endpoint 16). */
export function historyEndpoint({ latest, accounts, now, epoch }: StreamDeps, watch: Watch): Endpoint {
  const segmentOf = (account: AccountId) => accounts.find(({ id }) => id === account)?.segment ?? account;
  const parts = oncePerChange(watch, () => ({
    samples: settledScores(latest).flatMap((score): readonly Shown[] => {
      const { account, errorPercent } = score;
      // An event without posts has no relative error.
      if (errorPercent === null) return [];
      return [{ record: score, text: JSON.stringify(sampleToWire(score, errorPercent, segmentOf(account))) }];
    }),
    voided: voidForecasts(latest).map((record): Shown => {
      return { record, text: JSON.stringify(voidToWire(record, segmentOf(record.account))) };
    }),
    annotations: JSON.stringify(annotationsToWire(Array.from(latest.all('models'), ({ record }) => record))),
  }));
  return {
    path: `${API_PREFIX}/performance/history`,
    access: 'public',
    answer({ query, ifNoneMatch }) {
      const { horizon, days } = readQuery(historyQuery, query);
      const at = now();
      const shown = (all: readonly Shown[]) =>
        all.filter(({ record }) => record.horizonHours === horizon && record.endAt >= at - days * DAY_MS);
      const samples = shown(parts().samples);
      const voided = shown(parts().voided);
      const size = samples.length + voided.length;
      const etag = tagOf(watch.seq, size, `${epoch}-history-${horizon}-${days}`);
      if (namesTag(ifNoneMatch, etag)) return notModified(etag);
      const listOf = (all: readonly Shown[]) => `[${all.map(({ text }) => text).join(',')}]`;
      const lists = `"data":${listOf(samples)},"void":${listOf(voided)},"annotations":${parts().annotations}`;
      const body = `{"timestamp":${at},${lists}}`;
      return streamAnswer(etag, body, Buffer.byteLength(body));
    },
  };
}
