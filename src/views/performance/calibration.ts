import type { AccountId, ScoreRecord } from '../../../streams/internal.ts';
import { MOST_LISTED_ACCOUNTS } from '../../contract/account.ts';
import { type PacedWork, startPacedWork } from '../../resilience/paced-work.ts';
import type { AccountPath } from '../account-path.ts';
import type { Latest } from '../latest.ts';
import type { Watch } from '../watch.ts';
import { calibrationToWire } from './calibration-record.ts';
import { partsOf } from './in-steps.ts';
import { createForecastReader, type ScoredForecast, scoreGroups } from './scores.ts';
import { sleepScoresToWire } from './sleep-record.ts';
import { trackRecordsToWire } from './track-records.ts';

export interface Calibration {
  /** The fields of the last complete pass as JSON, without the brackets around them: of one account, or of all. */
  text(account?: AccountPath): string;
  /** What a first answer waits for; undefined once there is one, or where one can be made at once. */
  waitsFor(): string | undefined;
  /** Changes when a pass is complete. */
  readonly watch: Watch;
  close(): void;
}

interface CalibrationDeps {
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  /** Changes with every score. */
  readonly scores: Watch;
  /** Changes with every score of a sleep probability: with many accounts several times a minute. */
  readonly sleepScores: Watch;
  /** Why the engine does not run yet; undefined once it does. Scores are not read before that unless somebody asks. */
  readonly starting?: () => string | undefined;
  /** Receives errors that are bugs. */
  readonly report: (error: unknown) => void;
}

/** The pause before a pass, as hundreds of scores come together at a first start. */
const PAUSE_MS = 1_000;
/** Of more accounts than these a first pass at once would hold everybody up for a second and more. */
const MOST_AT_ONCE = 20;

/**
 * Keeps the calibration ready. Its intervals take too long to compute during a request, so a pass goes through the
 * scores in small steps beside other work, and the previous result is served until it is complete. The first pass begins
 * when the engine runs, and of few accounts is completed at once when somebody asks for its result.
 */
export function createCalibration(deps: CalibrationDeps): Calibration {
  const { latest, accounts, scores, sleepScores, starting = () => undefined, report } = deps;
  const ids = accounts.map(({ id }) => id);
  const segments = new Map(accounts.map(({ id, segment }) => [id, segment]));
  const marks = () => ({
    seq: Math.max(scores.seq, sleepScores.seq),
    changes: scores.changes + sleepScores.changes,
  });
  const done = { ...marks(), revision: 0, tickAt: Number.POSITIVE_INFINITY };
  let scored: Scored = { data: [], track_records: [], sleep: [] };
  /** The changes of the scores that are in it. */
  let scoreChanges: number | undefined;
  let work: PacedWork | undefined;
  let timer: NodeJS.Timeout | undefined;

  const read = createForecastReader(latest);
  /** The groups of the last pass: those in which nothing changed are not computed again. */
  const known = new Map<
    string,
    { readonly forecasts: readonly ScoredForecast[]; readonly part: ScoredPart }
  >();

  let isPassing = false;
  function* pass(): Generator<void> {
    isPassing = true;
    try {
      yield* computeAnew();
    } finally {
      isPassing = false;
    }
  }

  function* computeAnew(): Generator<void> {
    while (latest.readMore('scores') > 0) yield;
    const { seq, changes } = marks();
    const ofScores = scores.changes;
    const forecasts = ofScores === scoreChanges ? scored : yield* forecastParts();
    scored = { ...forecasts, sleep: sleepScoresToWire(latest, accounts).map(partOf) };
    scoreChanges = ofScores;
    done.seq = seq;
    done.changes = changes;
    done.revision += 1;
  }

  function* forecastParts(): Generator<void, Pick<Scored, 'data' | 'track_records'>> {
    const data: ScoredPart[] = [];
    const all = yield* read();
    for (const group of yield* scoreGroups(all, ids)) {
      const { name, account, forecasts } = group;
      const before = known.get(name);
      yield;
      if (before !== undefined && areSame(before.forecasts, forecasts)) {
        data.push(before.part);
        continue;
      }
      const segment = account === null ? null : (segments.get(account) ?? null);
      const part = partOf(yield* calibrationToWire(group, segment));
      known.set(name, { forecasts, part });
      data.push(part);
    }
    const tracks: ScoredPart[] = [];
    const byAccount = yield* scoresByAccount(all);
    for (const account of accounts) {
      tracks.push(...trackRecordsToWire(byAccount.get(account.id) ?? [], [account]).map(partOf));
      yield;
    }
    return { data, track_records: tracks };
  }

  const first = pass();
  let isBegun = false;
  function beginIfStarted(): void {
    if (isBegun || starting() !== undefined) return;
    isBegun = true;
    work = startPacedWork(first, report);
  }

  beginIfStarted();
  // Values change at least each second, so a start that is over, or a score that came during a pass, is soon noticed.
  const subscription = latest.change$.subscribe(() => {
    beginIfStarted();
    // A first pass that failed is tried again, as there is no result of before.
    const isDue = marks().changes !== done.changes || done.revision === 0;
    if (!isBegun || timer !== undefined || isPassing || !isDue) return;
    timer = setTimeout(() => {
      timer = undefined;
      work = startPacedWork(pass(), report);
    }, PAUSE_MS).unref();
  });

  return {
    text(account) {
      for (const _ of first);
      return textOf(scored, accounts, account);
    },
    waitsFor: () =>
      accounts.length > MOST_AT_ONCE && done.revision === 0
        ? 'it looks through the scores of the past'
        : undefined,
    watch: done,
    close() {
      subscription.unsubscribe();
      clearTimeout(timer);
      work?.stop();
    },
  };
}

function areSame(before: readonly ScoredForecast[], now: readonly ScoredForecast[]): boolean {
  return before.length === now.length && before.every((forecast, index) => forecast === now[index]);
}

function* scoresByAccount(
  forecasts: readonly ScoredForecast[],
): Generator<void, ReadonlyMap<AccountId, readonly ScoreRecord[]>> {
  const byAccount = new Map<AccountId, ScoreRecord[]>();
  for (const part of partsOf(forecasts)) {
    yield;
    for (const { score } of part) {
      const own = byAccount.get(score.account);
      if (own === undefined) byAccount.set(score.account, [score]);
      else own.push(score);
    }
  }
  return byAccount;
}

/** A record as JSON, with the path segment of its account; null when it is about all of them. */
interface ScoredPart {
  readonly account: string | null;
  readonly text: string;
}

type Scored = Readonly<Record<'data' | 'track_records' | 'sleep', readonly ScoredPart[]>>;

function partOf(record: { readonly account: string | null }): ScoredPart {
  return { account: record.account, text: JSON.stringify(record) };
}

function textOf(scored: Scored, accounts: readonly AccountPath[], account: AccountPath | undefined): string {
  const areListed = accounts.length <= MOST_LISTED_ACCOUNTS;
  const isShown = (segment: string | null) =>
    account === undefined ? areListed || segment === null : segment === account.segment;
  const lists = Object.entries(scored).map(([name, parts]) => {
    const texts = parts.filter((part) => isShown(part.account)).map(({ text }) => text);
    return `"${name}":[${texts.join(',')}]`;
  });
  const isShort = account === undefined && !areListed;
  return [...lists, ...(isShort ? [`"omitted_accounts":${accounts.length}`] : [])].join(',');
}
