import type { Answer } from '../client/browser.ts';
import { countText } from './format.ts';

/** A track record as text for people: what was shown, against whom, and by which forecasts. */

type TrackRecord = Pick<
  Answer<'Calibration'>['track_records'][number],
  'horizon' | 'n_live' | 'n_backfilled' | 'n_market' | 'proven_against'
>;

/** What the model was shown to be better than. */
export function proofText({ proven_against: rivals }: Pick<TrackRecord, 'proven_against'>): string {
  if (rivals.includes('market')) return 'better than the market';
  return rivals.includes('pace')
    ? 'better than constant pace, not shown against the market'
    : 'nothing shown yet';
}

/** The forecasts that this rests on. */
export function basisText({ horizon, n_live, n_backfilled, n_market }: TrackRecord): string {
  if (horizon === null) return 'forecasts over 72 h before the close are never scored';
  const samples = `${countText(n_live)} live and ${countText(n_backfilled)} back-filled forecasts at ${horizon} h`;
  return `${samples}, ${countText(n_market)} with market prices`;
}

/** Where the forecasts of a group of scores come from. */
export function originText(origin: 'live' | 'history'): string {
  return origin === 'live' ? 'live' : 'back-filled';
}
