import type { AccountId, BuyStrategy, Confidence, Decision, FrozenBuy } from '../../../streams/internal.ts';
import type { Latest } from '../latest.ts';

interface WinRate {
  /** Null without a settled sample. */
  readonly percent: number | null;
  readonly sampleSize: number;
  /** Those at a horizon where the model had not been shown to be better than the market. */
  readonly nUnproven: number;
}

/** How all bets on one side did. */
interface SideResult {
  readonly bets: number;
  readonly events: number;
  /** The share of bets that won, and what they made of what was staked, at the cost of a share; null without a sample. */
  readonly wonPercent: number | null;
  readonly returnPercent: number | null;
}

type BetSide = 'Yes' | 'No';

export interface WinRates {
  /** Of bets on Yes alone, as are those by strategy. */
  readonly byConfidence: Readonly<Record<Confidence, WinRate>>;
  readonly byStrategy: Readonly<Record<BuyStrategy, WinRate>>;
  readonly bySide: Readonly<Record<BetSide, SideResult>>;
}

interface Settled {
  readonly decision: Decision;
  readonly wonLo: number | null;
}

/**
 * How often the live decisions at the horizons have won, each event counted once, by its first decision. By confidence the
 * largest bet has to win, by strategy any bucket of the order. Without an account, decisions of all accounts count.
 */
export function winRates(latest: Latest, account?: AccountId): WinRates {
  const settled = settledDecisions(latest, account);
  const firstOnes = firstOfEach(settled.filter(({ decision }) => yesBuys(decision).length > 0));
  const confidence = (level: Confidence) =>
    rateOf(
      firstOnes.filter(({ decision }) => decision.confidence === level),
      ({ decision, wonLo }) => yesBuys(decision)[0]?.lo === wonLo,
    );
  return {
    byConfidence: { HIGH: confidence('HIGH'), MEDIUM: confidence('MEDIUM'), LOW: confidence('LOW') },
    byStrategy: ratesByStrategy(settled),
    bySide: { Yes: sideResult(settled, 'Yes'), No: sideResult(settled, 'No') },
  };
}

/** The win rates by strategy alone, as the signals of an account show them after each turn. */
export function strategyRates(latest: Latest, account: AccountId): WinRates['byStrategy'] {
  return ratesByStrategy(settledDecisions(latest, account));
}

function ratesByStrategy(settled: readonly Settled[]): WinRates['byStrategy'] {
  const strategy = (name: BuyStrategy) =>
    rateOf(
      firstOfEach(settled.filter(({ decision }) => decision.strategy === name)),
      ({ decision, wonLo }) => wonLo !== null && decision.orderLos.includes(wonLo),
    );
  return { TWO_BUCKET: strategy('TWO_BUCKET'), SINGLE_BUCKET: strategy('SINGLE_BUCKET') };
}

function sideOf({ side }: FrozenBuy): BetSide {
  return side ?? 'Yes';
}

function yesBuys({ buys }: Decision): readonly FrozenBuy[] {
  return buys.filter((buy) => sideOf(buy) === 'Yes');
}

/** Each event once, with all bets on that side of the first decision that had any. */
function sideResult(settled: readonly Settled[], side: BetSide): SideResult {
  const isMeant = (buy: FrozenBuy) => sideOf(buy) === side;
  const events = firstOfEach(settled.filter(({ decision }) => decision.buys.some(isMeant)));
  const bets = events.flatMap(({ decision, wonLo }) =>
    decision.buys.filter(isMeant).map(({ lo, cost, stake }) => {
      const hasWon = (lo === wonLo) === (side === 'Yes');
      return { hasWon, cost: cost ?? null, stake };
    }),
  );
  let [staked, paid] = [0, 0];
  for (const { hasWon, cost, stake } of bets) {
    if (cost === null) continue;
    staked += stake;
    if (hasWon) paid += stake / cost;
  }
  return {
    bets: bets.length,
    events: events.length,
    wonPercent: bets.length === 0 ? null : (100 * bets.filter(({ hasWon }) => hasWon).length) / bets.length,
    returnPercent: staked === 0 ? null : 100 * (paid / staked - 1),
  };
}

/** In the order they were made, then by event. */
function settledDecisions(latest: Latest, account: AccountId | undefined): readonly Settled[] {
  const decisions = account === undefined ? latest.all('decisions') : latest.ofAccount('decisions', account);
  return Array.from(decisions)
    .flatMap(({ key, record: decision }): readonly Settled[] => {
      // Nobody was told to buy by a decision about the past.
      if (decision.origin !== 'live') return [];
      const score = latest.get('scores', key)?.record;
      const isOutcome = score?.status === 'settled' && score.forecastId === decision.forecastId;
      return isOutcome ? [{ decision, wonLo: score.wonLo }] : [];
    })
    .sort(({ decision: a }, { decision: b }) => a.madeAt - b.madeAt || a.eventId - b.eventId);
}

function firstOfEach(settled: readonly Settled[]): readonly Settled[] {
  const first = new Map<number, Settled>();
  for (const each of settled) if (!first.has(each.decision.eventId)) first.set(each.decision.eventId, each);
  return [...first.values()];
}

function rateOf(settled: readonly Settled[], hasWon: (each: Settled) => boolean): WinRate {
  const sampleSize = settled.length;
  const nUnproven = settled.filter(({ decision }) => !decision.isProven).length;
  const percent = sampleSize === 0 ? null : (settled.filter(hasWon).length / sampleSize) * 100;
  return { percent, sampleSize, nUnproven };
}
