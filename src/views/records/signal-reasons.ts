import {
  ACCOUNT_CAP,
  type Cut,
  EVENT_CAP,
  type EventSignals,
  type Input,
  type ReasonCode,
  type SizedSignal,
} from '../../../streams/internal.ts';

/** The reasons for a bucket's action, as sentences with the deciding numbers. */
export function reasonsOf(signal: SizedSignal, record: EventSignals): readonly string[] {
  const { action } = signal;
  const hasStake = action === 'BUY' || action === 'SELL';
  return [
    ...comparison(signal, record.p50),
    ...signal.codes.map((code) => sentence(code, signal, record)),
    ...(signal.no ?? signal).cuts.map(({ by }) => CUT_SENTENCES[by]),
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

const CUT_SENTENCES: Readonly<Record<Cut['by'], string>> = {
  event_cap: `cut to ${100 * EVENT_CAP} % of the bankroll for all bets of the event`,
  unproven: 'cut by half, as the model is not shown to be better than the market at this horizon',
  account_cap: `cut to ${100 * ACCOUNT_CAP} % of the bankroll for all open events of the account, which count the same posts`,
  depth: 'cut to what the book holds at the limit price',
  minimum: 'what is left is too small to bet',
};

const INPUT_OF: Readonly<Partial<Record<ReasonCode, Input>>> = {
  STALE_POSTS: 'posts',
  STALE_ORACLE: 'oracle',
  STALE_UI: 'ui',
  STALE_PRICES: 'prices',
};

function sentence(code: ReasonCode, signal: SizedSignal, record: EventSignals): string {
  const { edge } = signal;
  switch (code) {
    case 'UNDERVALUED':
      return purchase(signal);
    case 'COSTS_EXCEED_EDGE':
      return (edge ?? 0) > 0
        ? purchase(signal)
        : `an edge of ${edge}, but the best bid of ${signal.bid} pays no more than it is worth`;
    case 'PASSED_BY_COUNT':
      return passed(signal);
    case 'OVERVALUED':
      return overvalued(signal);
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
    case 'FORECAST_BEHIND_COUNT':
      return 'our own count has just passed this bucket, and the next forecast will say what that means';
    case 'UNKNOWN_COUNT':
      return 'our own count is not known';
    case 'DEPTH_UNKNOWN':
      return 'how much the book holds at the limit price is not known';
    case 'OLD_FORECAST':
      return 'the newest forecast is more than 5 minutes old';
    case 'BUCKETS_DO_NOT_TILE':
      return 'the buckets do not cover every count exactly once, so none has a probability';
    case 'UNPROVEN_HORIZON':
      return unproven(record);
    case 'BET_TOO_SMALL':
      return 'the bet would be less than a cent, or than 0.0001 of the bankroll';
    default:
      return `the ${INPUT_OF[code]} input is stale: a number made of it would only look fresh`;
  }
}

function purchase({ edge, edgeNet, ask }: SizedSignal): string {
  return `an edge of ${edge} leaves ${edgeNet} at the best ask of ${ask} with the taker fee`;
}

function overvalued({ edge, bid, no }: SizedSignal): string {
  const instead = bid === null || no === null ? '' : `; without a position, buy No at 1 - ${bid}`;
  return `an edge of ${edge} is -0.05 or less: holding it costs more than selling it${instead}`;
}

function passed({ standing, title, bid, bidSize }: SizedSignal): string {
  const whose = standing === 'dead' ? "the oracle's count is" : 'our own count is';
  const shares = bidSize === null ? '' : ` for ${bidSize} shares`;
  return `${whose} above ${title}, and somebody still bids ${bid}${shares}: sell Yes, or buy No`;
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
