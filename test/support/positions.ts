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

/** A market that answers as the test says, and the wallets it was asked for. */
export interface ScriptedMarket extends Positions {
  readonly asked: string[];
  answer: (wallet: string) => readonly Position[] | Promise<readonly Position[]>;
}

export function scriptedMarket(...held: readonly Position[]): ScriptedMarket {
  const asked: string[] = [];
  const market: ScriptedMarket = {
    asked,
    answer: () => held,
    async of(wallet) {
      asked.push(wallet);
      return market.answer(wallet);
    },
  };
  return market;
}
