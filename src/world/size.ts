import type { SeriesKind } from './market/event-series.ts';

/** How much there is in a world, and how often it tells of it. */
export interface WorldSize {
  /** From how many days before the start on there are posts, at most 140. */
  readonly historyDays: number;
  /** Whether everybody may be silent for five minutes. Most posts of a day are replies that prevent it. */
  readonly hasSilences: boolean;
  /** How many days before the start the first events were open. */
  readonly settledDays: number;
  /** Which events each account has. */
  readonly series: readonly SeriesKind[];
  /** How many buckets an event of posts has, at least two; undefined for as many as on the market. */
  readonly buckets: number | undefined;
  /** Which events about prices there are; those of a day have many buckets. */
  readonly priceEvents: 'none' | 'hourly' | 'hourly and daily';
  /** How often quotes are compared with what a reader has; a quote itself holds much longer. */
  readonly bookPeriodMs: number;
  /** How often a spot price is sent. */
  readonly spotPeriodMs: number;
}

/** That of the demo: a hundred days of settled events, and a month event before them. */
export const USUAL_SIZE: WorldSize = {
  historyDays: 140,
  hasSilences: false,
  settledDays: 100,
  series: ['week-tuesday', 'week-friday', 'two-days', 'month'],
  buckets: undefined,
  priceEvents: 'hourly and daily',
  bookPeriodMs: 250,
  spotPeriodMs: 1_000,
};
