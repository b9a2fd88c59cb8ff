import { LRUCache } from 'lru-cache';
import type { Position } from '../../sources/positions/position.ts';
import { isOpen, type WalletPositions } from '../../views/portfolio/holding.ts';

export interface Wallets {
  /** Rejects as the reading does; a failure is never kept. */
  of(wallet: string): Promise<WalletPositions>;
}

interface WalletsOptions {
  readonly read: (wallet: string) => Promise<readonly Position[]>;
  /** UTC ms. */
  readonly now: () => number;
  readonly limits?: WalletLimits;
}

interface WalletLimits {
  readonly keepMs: number;
  readonly wallets: number;
  /** Of all wallets together: some hold thousands. */
  readonly positions: number;
}

/** Five minutes is the interface's word (spec 8); the rest keeps the memory under some 15 MB. */
const WALLET_LIMITS: WalletLimits = { keepMs: 300_000, wallets: 2_000, positions: 20_000 };

/**
 * Positions by wallet, kept for five minutes, the longest unused dropped first. Whoever asks while a wallet is being
 * read gets that reading.
 *
 * What is kept is the market's word alone. Forecast and prices are put over it at every request, so a new forecast
 * shows at once and costs no call: asking the market anew at each would bring a call per wallet and post, and turn
 * an outage of the market into a 503 within a minute instead of five.
 */
export function createWallets({ read, now, limits = WALLET_LIMITS }: WalletsOptions): Wallets {
  const kept = new LRUCache<string, WalletPositions>({
    max: limits.wallets,
    maxSize: limits.positions,
    // A wallet without positions takes the place of one.
    sizeCalculation: ({ positions }) => Math.max(1, positions.length),
  });
  const readings = new Map<string, Promise<WalletPositions>>();

  async function readNow(key: string, wallet: string): Promise<WalletPositions> {
    const readAt = now();
    const held = { positions: (await read(wallet)).filter(isOpen), readAt };
    kept.set(key, held);
    return held;
  }

  return {
    of(wallet) {
      const key = wallet.toLowerCase();
      const held = kept.get(key);
      if (held !== undefined) {
        const ageMs = now() - held.readAt;
        // A clock set back makes a list look younger than it is.
        if (ageMs >= 0 && ageMs < limits.keepMs) return Promise.resolve(held);
        kept.delete(key);
      }
      let reading = readings.get(key);
      if (reading === undefined) {
        reading = readNow(key, wallet).finally(() => readings.delete(key));
        readings.set(key, reading);
      }
      return reading;
    },
  };
}
