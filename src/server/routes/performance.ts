import * as z from 'zod';
import { type AccountId, DAY_MS, type ScoreRecord, type VoidRecord } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { accountQuery, historyQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
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
import type { Answer, Call, Endpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPrebuilt, notModified, streamAnswer } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** GET /performance/overview: errors by horizon and win rates (spec 4, endpoint 15). */
export function overviewEndpoint({ latest, accounts, now, tagOf }: StreamDeps, watch: Watch): Endpoint {
  const answerFor = (account: AccountPath | undefined) => {
    const fields = oncePerChange(watch, () => {
      const scores = settledScores(latest, account?.id);
      const overview = overviewToWire(
        scores,
        winRates(latest, account?.id),
        account === undefined ? accounts : [account],
        lastScoredAt(latest) ?? now(),
      );
      return { n: scores.length, text: JSON.stringify(overview).slice(1, -1) };
    });
    return createPrebuilt({
      watch,
      name: variantOf('overview', account),
      tagOf,
      now,
      size: () => fields().n,
      build: () => fields().text,
      content: () => fields().text,
    });
  };
  return {
    path: `${API_PREFIX}/performance/overview`,
    access: 'public',
    answer: byAccount(accounts, answerFor),
  };
}

/** GET /performance/calibration: how reliable the probabilities are, compared with pace and market. */
export function calibrationEndpoint(
  { accounts, now, tagOf }: StreamDeps,
  calibration: Calibration,
): Endpoint {
  const answerFor = (account: AccountPath | undefined) =>
    createPrebuilt({
      watch: calibration.watch,
      name: variantOf('calibration', account),
      tagOf,
      now,
      size: () => calibration.watch.revision,
      build: () => calibration.text(account),
      content: () => calibration.text(account),
    });
  return {
    path: `${API_PREFIX}/performance/calibration`,
    access: 'public',
    answer: byAccount(accounts, answerFor),
  };
}

/** One answer for each account that may be asked for, and one for all of them. */
function byAccount(
  accounts: readonly AccountPath[],
  answerFor: (account: AccountPath | undefined) => (call: Call) => Answer,
): Endpoint['answer'] {
  const ofAll = answerFor(undefined);
  const ofOne = new Map(accounts.map((account) => [account.segment, answerFor(account)]));
  const schema = accountQuery.extend({ account: segmentOf(accounts) });
  return (call) => {
    const { account } = readQuery(schema, call.query);
    return ((account === undefined ? undefined : ofOne.get(account)) ?? ofAll)(call);
  };
}

/** The parameter `account`. */
function segmentOf(accounts: readonly AccountPath[]) {
  return z.enum(accounts.map(({ segment }) => segment)).optional();
}

function variantOf(name: string, account: AccountPath | undefined): string {
  return account === undefined ? name : `${name}-${account.segment}`;
}

interface Shown {
  readonly record: ScoreRecord | VoidRecord;
  readonly text: string;
}

/** GET /performance/history: the error of every settled event, ordered by close (spec 4, endpoint 16). */
export function errorHistoryEndpoint({ latest, accounts, now, tagOf }: StreamDeps, watch: Watch): Endpoint {
  const segments = new Map(accounts.map(({ id, segment }) => [id, segment]));
  const nameOf = (account: AccountId) => segments.get(account) ?? account;
  const schema = historyQuery.extend({ account: segmentOf(accounts) });
  const parts = oncePerChange(watch, () => ({
    samples: settledScores(latest).flatMap((score): readonly Shown[] => {
      const { account, errorPercent } = score;
      // An event without posts has no relative error.
      if (errorPercent === null) return [];
      return [{ record: score, text: JSON.stringify(sampleToWire(score, errorPercent, nameOf(account))) }];
    }),
    voided: voidForecasts(latest).map((record): Shown => {
      return { record, text: JSON.stringify(voidToWire(record, nameOf(record.account))) };
    }),
    annotations: JSON.stringify(annotationsToWire(Array.from(latest.all('models'), ({ record }) => record))),
  }));
  return {
    path: `${API_PREFIX}/performance/history`,
    access: 'public',
    answer({ query, ifNoneMatch }) {
      const { horizon, days, account } = readQuery(schema, query);
      const at = now();
      const isShown = ({ record }: Shown) =>
        record.horizonHours === horizon &&
        record.endAt >= at - days * DAY_MS &&
        (account === undefined || nameOf(record.account) === account);
      const shown = (all: readonly Shown[]) => all.filter(isShown);
      const samples = shown(parts().samples);
      const voided = shown(parts().voided);
      const listOf = (all: readonly Shown[]) => `[${all.map(({ text }) => text).join(',')}]`;
      const lists = () =>
        `"data":${listOf(samples)},"void":${listOf(voided)},"annotations":${parts().annotations}`;
      const etag = tagOf({
        watch,
        name: `history-${horizon}-${days}${account === undefined ? '' : `-${account}`}`,
        size: () => samples.length + voided.length,
        content: lists,
      });
      if (namesTag(ifNoneMatch, etag)) return notModified(etag);
      const body = `{"timestamp":${at},${lists()}}`;
      return streamAnswer(etag, body, Buffer.byteLength(body));
    },
  };
}
