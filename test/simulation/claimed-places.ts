import type { Store } from '../../src/store/store.ts';
import type { Violations } from './violations.ts';

export interface ClaimedPlaces {
  /** The place that the owner of a wallet is told. */
  onTold(wallet: string, position: number): void;
  /** To be called again and again. */
  check(): void;
}

/** Compares the places that people are told with the waitlist on disk. */
export function createClaimedPlaces({
  kept,
  violations: { check },
}: {
  readonly kept: Pick<Store, 'waitlist'>;
  readonly violations: Violations;
}): ClaimedPlaces {
  const told = new Map<string, number>();
  return {
    onTold(wallet, position) {
      const before = told.get(wallet) ?? position;
      check(5, before === position, () => `${wallet} was told the place ${before}, and then ${position}`);
      told.set(wallet, position);
    },
    check() {
      const places = new Map<string | null, number>();
      let next = 1;
      for (const { wallet, position } of kept.waitlist.list()) {
        check(5, position === next, () => `the place ${position} follows ${next - 1}`);
        next = position + 1;
        places.set(wallet, position);
      }
      for (const [wallet, position] of told) {
        const found = places.get(wallet);
        check(5, found === position, () => `${wallet} was told the place ${position}, and has ${found}`);
      }
    },
  };
}
