import type { Position } from '../../sources/positions/position.ts';
import { isOpen } from '../../views/portfolio/holding.ts';

/** What a wallet held when the market was last asked. */
export interface Held {
  readonly positions: readonly Position[];
  /** UTC ms, from before the question: the list is at most this old. */
  readonly readAt: number;
}

export interface Wallets {
  /** Rejects as the reading does; a failure is never kept. */
  of(wallet: string): Promise<Held>;
}

export interface WalletsOptions {
  readonly read: (wallet: string) => Promise<readonly Position[]>;
  /** UTC ms. */
  readonly now: () => number;
  readonly limits?: WalletLimits;
}

export interface WalletLimits {
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
  const kept = new Map<string, Held>();
  const readings = new Map<string, Promise<Held>>();
  let positions = 0;

  function drop(key: string): void {
    positions -= kept.get(key)?.positions.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, held: Held): void {
    drop(key);
    kept.set(key, held);
    positions += held.positions.length;
    // A map's first key is the one put in longest ago.
    for (const oldest of kept.keys()) {
      if (kept.size <= limits.wallets && positions <= limits.positions) break;
      drop(oldest);
    }
  }

  async function readNow(key: string, wallet: string): Promise<Held> {
    const readAt = now();
    const held = { positions: (await read(wallet)).filter(isOpen), readAt };
    keep(key, held);
    return held;
  }

  return {
    of(wallet) {
      const key = wallet.toLowerCase();
      const held = kept.get(key);
      if (held !== undefined) {
        const ageMs = now() - held.readAt;
        drop(key);
        // A clock set back makes a list look younger than it is.
        if (ageMs >= 0 && ageMs < limits.keepMs) {
          keep(key, held);
          return Promise.resolve(held);
        }
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
