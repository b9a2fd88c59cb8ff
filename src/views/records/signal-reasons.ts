import type { EventSignals, Input, ReasonCode, SizedSignal } from '../../../streams/internal.ts';

/** The reasons for a bucket's action, as sentences with the deciding numbers. */
export function reasonsOf(signal: SizedSignal, record: EventSignals): readonly string[] {
  const { action } = signal;
  const hasStake = action === 'BUY' || action === 'SELL';
  return [
    ...comparison(signal, record.p50),
    ...signal.codes.map((code) => sentence(code, signal, record)),
    ...(hasStake ? asymmetry(record.asymmetry) : []),
  ];
}

function comparison({ title, lo, hi, moneyness, prob, price }: SizedSignal, p50: number | null) {
  if (p50 === null || prob === null || price === null) return [];
  const isInside = lo !== null && p50 >= lo && (hi === null || p50 <= hi);
  const depth = (moneyness ?? 0) > 0.5 ? 'in the middle' : 'near an edge';
  const place = isInside ? `sits ${depth} of ${title}` : `is outside ${title}`;
  return [`p50 ${p50} ${place}; market pays ${price}, model says ${prob}`];
}

const INPUT_OF: Readonly<Partial<Record<ReasonCode, Input>>> = {
  STALE_POSTS: 'posts',
  STALE_ORACLE: 'oracle',
  STALE_UI: 'ui',
  STALE_PRICES: 'prices',
};

function sentence(code: ReasonCode, { edge, edgeNet }: SizedSignal, record: EventSignals): string {
  switch (code) {
    case 'UNDERVALUED':
    case 'COSTS_EXCEED_EDGE':
      return `an edge of ${edge} leaves ${edgeNet} after the taker fee and half the spread`;
    case 'OVERVALUED':
      return `an edge of ${edge} is -0.05 or less: holding it costs more than selling it`;
    case 'NO_TRADE_BAND':
      return `an edge of ${edge} is too small to trade: above 0.05 or from -0.05 down it would not be`;
    case 'NO_ASK':
      return `an edge of ${edge}, but nobody offers shares`;
    case 'NO_BID':
      return `an edge of ${edge}, but nobody bids for shares`;
    case 'EMPTY_BOOK':
      return 'nobody quotes this bucket';
    case 'NO_FORECAST':
      return 'there is no forecast of this bucket yet';
    case 'OLD_FORECAST':
      return 'the newest forecast is more than 5 minutes old';
    case 'BUCKETS_DO_NOT_TILE':
      return 'the buckets do not cover every count exactly once, so none has a probability';
    case 'UNPROVEN_HORIZON':
      return unproven(record);
    case 'BET_TOO_SMALL':
      return 'the bet would be less than a cent';
    default:
      return `the ${INPUT_OF[code]} input is stale: a number made of it would only look fresh`;
  }
}

function unproven({ horizonHours, track }: EventSignals): string {
  if (horizonHours === null)
    return 'forecasts this far from the close are never scored, 72 h is the farthest';
  const { n, nLive, nBackfilled, nMarket, againstPace, againstMarket } = track;
  const market =
    againstMarket === null
      ? 'no settled forecast had market prices'
      : `log score less the market's is ${twoDecimals(againstMarket)} over ${nMarket}`;
  const pace =
    n === 0
      ? ''
      : `; CRPS less that of constant pace is ${twoDecimals(againstPace)} over ${nLive} live and ${nBackfilled} back-filled`;
  return `not shown to be better than the market at ${horizonHours} h, which takes 30 live forecasts with prices: ${market}${pace}`;
}

function twoDecimals(value: number | null): string {
  return (value ?? 0).toFixed(2);
}

function asymmetry(edge: number | null): readonly string[] {
  if (edge === null || edge === 0) return [];
  const [more, less] = edge > 0 ? ['the oracle', 'the trading page'] : ['the trading page', 'the oracle'];
  return [`${more} counts ${Math.abs(edge)} more than ${less}`];
}
