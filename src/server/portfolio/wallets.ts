import { LRUCache } from 'lru-cache';
import type { Position } from '../../sources/positions/position.ts';
import { isOpen, type WalletPositions } from '../../views/portfolio/held-positions.ts';

export interface Wallets {
  /** Rejects when the positions cannot be read. A failure is not cached. */
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
  /** The sum over all wallets, as some hold thousands. */
  readonly positions: number;
}

/** Spec 8 asks for five minutes; the other limits keep the memory below about 15 MB. */
const WALLET_LIMITS: WalletLimits = { keepMs: 300_000, wallets: 2_000, positions: 20_000 };

/**
 * Caches positions by wallet for five minutes. Callers that ask while a wallet is being read share that reading. Only
 * the market's positions are cached: forecasts and prices are added at every request, so they are always new.
 */
export function createWallets({ read, now, limits = WALLET_LIMITS }: WalletsOptions): Wallets {
  const kept = new LRUCache<string, WalletPositions>({
    max: limits.wallets,
    maxSize: limits.positions,
    // A wallet without positions counts as one position.
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
        // After the clock was set back the age is unknown.
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
