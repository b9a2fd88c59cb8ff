import { unit } from '../rng.ts';

export interface CryptoSymbol {
  /** Lower case, as in stream names. */
  readonly symbol: 'btcusdt' | 'ethusdt';
  readonly asset: 'btc' | 'eth';
  readonly basePrice: number;
}

export const CRYPTO_SYMBOLS: readonly [CryptoSymbol, CryptoSymbol] = [
  { symbol: 'btcusdt', asset: 'btc', basePrice: 61_000 },
  { symbol: 'ethusdt', asset: 'eth', basePrice: 3_000 },
];

/** Periods in seconds with the log size of their swing: about 0.5 % an hour, as a walk would have. */
const SWINGS = [
  [3_456_000, 0.11],
  [777_600, 0.055],
  [172_800, 0.028],
  [43_200, 0.014],
  [10_800, 0.007],
  [2_400, 0.0033],
  [540, 0.0015],
  [120, 0.0007],
  [30, 0.0003],
  [7, 0.00013],
  [1, 0.00004],
] as const;

/** A walk that any instant can ask for without the instants before it: a sum of smooth noises. */
export function spotPrice(seed: number, symbol: CryptoSymbol, at: number): number {
  const second = Math.floor(at / 1000);
  let log = 0;
  for (const [period, size] of SWINGS) {
    const cell = Math.floor(second / period);
    const share = second / period - cell;
    const smooth = share * share * (3 - 2 * share);
    const from = unit(seed, symbol.symbol, period, cell);
    const to = unit(seed, symbol.symbol, period, cell + 1);
    log += size * 2 * (from + (to - from) * smooth - 0.5);
  }
  return Math.round(symbol.basePrice * Math.exp(log) * 100) / 100;
}

export function symbolOf(name: string): CryptoSymbol | undefined {
  return CRYPTO_SYMBOLS.find((candidate) => candidate.symbol === name.toLowerCase());
}
