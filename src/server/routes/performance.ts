import { DAY_MS, type ScoreRecord } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { historyQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { Calibration } from '../../views/performance/calibration.ts';
import {
  annotationsToWire,
  overviewToWire,
  sampleToWire,
} from '../../views/performance/performance-records.ts';
import { lastScoredAt, scoredForecasts } from '../../views/performance/scores.ts';
import { winRates } from '../../views/performance/win-rates.ts';
import { oncePerChange, type Watch } from '../../views/watch.ts';
import type { Endpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPrebuilt, notModified, streamAnswer, tagOf } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /performance/overview: errors by horizon and win rates (spec 4, endpoint 15). */
export function overviewEndpoint({ latest, now, epoch }: StreamDeps, watch: Watch): Endpoint {
  const fields = oncePerChange(watch, () => {
    const scores = scoredForecasts(latest).map(({ score }) => score);
    const overview = overviewToWire(scores, winRates(latest), lastScoredAt(latest) ?? now());
    return { n: scores.length, text: JSON.stringify(overview).slice(1, -1) };
  });
  return {
    path: `${API_PREFIX}/performance/overview`,
    access: 'open',
    answer: createPrebuilt({
      watch,
      variant: `${epoch}-overview`,
      now,
      size: () => fields().n,
      build: () => fields().text,
    }),
  };
}

/** GET /performance/calibration: how reliable the probabilities are, compared with pace and market. */
export function calibrationEndpoint({ now, epoch }: StreamDeps, calibration: Calibration): Endpoint {
  return {
    path: `${API_PREFIX}/performance/calibration`,
    access: 'open',
    answer: createPrebuilt({
      watch: calibration.watch,
      variant: `${epoch}-calibration`,
      now,
      size: () => calibration.watch.revision,
      build: () => {
        const { groups, sleep } = calibration.text();
        return `"data":${groups},"sleep":${sleep}`;
      },
    }),
  };
}

interface Sample {
  readonly score: ScoreRecord;
  readonly text: string;
}

/** GET /performance/history: the error of every settled event, ordered by close (spec 4, endpoint 16). */
export function historyEndpoint({ latest, accounts, now, epoch }: StreamDeps, watch: Watch): Endpoint {
  const samples = oncePerChange(watch, (): readonly Sample[] =>
    scoredForecasts(latest).flatMap(({ score }) => {
      const { account, errorPercent } = score;
      // An event without posts has no relative error.
      if (errorPercent === null) return [];
      const segment = accounts.find(({ id }) => id === account)?.segment ?? account;
      return [{ score, text: JSON.stringify(sampleToWire(score, errorPercent, segment)) }];
    }),
  );
  return {
    path: `${API_PREFIX}/performance/history`,
    access: 'open',
    answer({ query, ifNoneMatch }) {
      const { horizon, days } = readQuery(historyQuery, query);
      const at = now();
      const shown = samples().filter(
        ({ score }) => score.horizonHours === horizon && score.endAt >= at - days * DAY_MS,
      );
      const etag = tagOf(watch.seq, shown.length, `${epoch}-history-${horizon}-${days}`);
      if (namesTag(ifNoneMatch, etag)) return notModified(etag);
      const data = shown.map(({ text }) => text).join(',');
      const annotations = JSON.stringify(annotationsToWire(shown.map(({ score }) => score)));
      const body = `{"timestamp":${at},"data":[${data}],"annotations":${annotations}}`;
      return streamAnswer(etag, body, Buffer.byteLength(body));
    },
  };
}
