import { type Chance, chanceOf } from './chance.ts';
import type { Kernel, Owner } from './kernel.ts';
import type { Network } from './network.ts';

type ReaderTier = 'FREE' | 'PRO';

/** Readers who all connect at the same moment, and who are all gone at another. */
export interface Storm {
  begin(readers: number): void;
  end(): void;
  /** What a reader of the storm may see; undefined for anybody else. */
  tierOf(owner: Owner): ReaderTier | undefined;
}

interface StormOptions {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly seed: number;
  readonly startReader: (tier: ReaderTier, random: Chance) => void;
}

export function createStorm({ kernel, network, seed, startReader }: StormOptions): Storm {
  const tiers = new Map<Owner, ReaderTier>();
  let begun = 0;
  return {
    begin(readers) {
      for (let n = 0; n < readers; n++) {
        begun += 1;
        const owner = { name: `reader ${begun} of a storm` };
        const tier = begun % 2 === 0 ? 'PRO' : 'FREE';
        tiers.set(owner, tier);
        // In an event of theirs: what a reader does a moment later, such as to connect, is to be theirs too.
        kernel.schedule(0, () => startReader(tier, chanceOf(seed, owner.name)), owner);
      }
    },
    end() {
      for (const owner of tiers.keys()) {
        kernel.kill(owner);
        network.kill(owner);
      }
      tiers.clear();
    },
    tierOf: (owner) => tiers.get(owner),
  };
}
