import type { Position, Positions } from '../../src/sources/positions/position.ts';

export const WALLET = `0x${'aB'.repeat(20)}`;

/** A hundred Yes shares of the bucket that `bucket()` makes, bought at 0.30; a test names only what it is about. */
export function position(fields: Partial<Position> = {}): Position {
  return {
    wallet: WALLET,
    token: 'yes-1',
    oppositeToken: 'no-1',
    conditionId: 'condition',
    eventId: 1,
    eventSlug: 'posts-of-a',
    marketSlug: 'market',
    outcome: 'Yes',
    size: 100,
    avgPrice: 0.3,
    costBasis: 30,
    currentPrice: 0.2,
    currentValue: 20,
    isRedeemable: false,
    isMergeable: false,
    ...fields,
  };
}

/** A market in the test's hand: what it holds for everyone, or why it fails, and whom it was asked about. */
export interface HandMarket extends Positions {
  readonly asked: string[];
  answer: (wallet: string) => readonly Position[] | Promise<readonly Position[]>;
}

export function handMarket(...held: readonly Position[]): HandMarket {
  const asked: string[] = [];
  const market: HandMarket = {
    asked,
    answer: () => held,
    async of(wallet) {
      asked.push(wallet);
      return market.answer(wallet);
    },
  };
  return market;
}
