import { HOUR_MS } from '../../../streams/internal.ts';
import type { WorldAccountId } from '../life/accounts.ts';
import { unit } from '../rng.ts';
import type { WorldEvent, WorldMarket } from './event.ts';
import { isActive, type ListedEvents } from './listed-events.ts';
import type { Settlement } from './settlement.ts';
import type { TraderBeliefs } from './trader-beliefs.ts';

/** Wallets that hold something worth testing; any other address holds nothing. */
export const WORLD_WALLETS = {
  /** Several Yes positions in A's active events. */
  yesOfA: `0x${'a1'.repeat(20)}`,
  /** Yes and No positions in two of A's active events, in one bucket both: that pair can be merged. */
  noOfA: `0x${'a2'.repeat(20)}`,
  /** Only B's active events. */
  onlyB: `0x${'b1'.repeat(20)}`,
  nothing: `0x${'00'.repeat(20)}`,
  /** Dust, redeemable rows of settled events and positions in other kinds of market. */
  mixed: `0x${'c1'.repeat(20)}`,
  /** More than two pages of the default size. */
  manyPages: `0x${'d1'.repeat(20)}`,
} as const;

export interface Holding {
  readonly event: WorldEvent;
  readonly market: WorldMarket;
  readonly outcome: 0 | 1;
  readonly size: number;
  readonly avgPrice: number;
}

export interface Wallets {
  holdings(wallet: string): readonly Holding[];
}

const MANY = 240;

export function createWallets(options: {
  readonly now: () => number;
  readonly listedEvents: ListedEvents;
  readonly settlement: Settlement;
  readonly traders: TraderBeliefs;
}): Wallets {
  const { now, listedEvents, settlement, traders } = options;

  /** The likeliest bucket soon after the listing: it stays the same while the event lasts. */
  function favourite(event: WorldEvent): number {
    const at = event.listedAt + HOUR_MS;
    const chances = event.markets.map((market) => traders.probability(event, market, at));
    return chances.indexOf(Math.max(...chances));
  }

  function hold(event: WorldEvent, ordinal: number, outcome: 0 | 1 = 0, size?: number): readonly Holding[] {
    const market = event.markets[Math.min(event.markets.length - 1, Math.max(0, ordinal))];
    if (market === undefined) return [];
    const yes = Math.min(0.95, Math.max(0.03, traders.probability(event, market, event.listedAt + HOUR_MS)));
    const shares = size ?? Math.round(2_000 + 40_000 * unit('size', market.id, outcome)) / 100;
    const avgPrice = Math.round((outcome === 0 ? yes : 1 - yes) * 1000) / 1000;
    return [{ event, market, outcome, size: shares, avgPrice }];
  }

  function active(account: WorldAccountId): readonly WorldEvent[] {
    return listedEvents
      .listed(now())
      .filter(
        (event) =>
          event.subject.type === 'posts' &&
          event.subject.account.id === account &&
          isActive(event, now()) &&
          !settlement.phase(event, now()).isClosed,
      );
  }

  function settled(): readonly WorldEvent[] {
    return listedEvents
      .listed(now())
      .filter((event) => settlement.phase(event, now()).isClosed && event.subject.type === 'posts');
  }

  function mixed(): readonly Holding[] {
    const open = active('a').slice(0, 1);
    const gone = settled().slice(-3);
    const crypto = listedEvents
      .listed(now())
      .filter((event) => event.subject.type === 'crypto' && !settlement.phase(event, now()).isClosed);
    return [
      ...open.flatMap((event) => [
        ...hold(event, favourite(event)),
        ...hold(event, 0, 0, 0.004),
        ...hold(event, 1, 1, 0.6),
        ...hold(event, 2, 0, 0),
      ]),
      ...gone.flatMap((event) => {
        const winner = event.markets.findIndex((market) => settlement.won(event, market, now()));
        return [...hold(event, winner), ...hold(event, winner === 0 ? 1 : 0)];
      }),
      ...crypto.slice(0, 2).flatMap((event) => hold(event, 0)),
      ...crypto
        .filter((event) => event.markets.length > 1)
        .slice(0, 2)
        .flatMap((event) => hold(event, 5)),
    ];
  }

  function manyPages(): readonly Holding[] {
    const events = [...active('a'), ...active('b'), ...settled().slice(-10)];
    return events
      .flatMap((event) => event.markets.flatMap((market) => hold(event, market.ordinal)))
      .slice(0, MANY);
  }

  return {
    holdings(wallet) {
      switch (wallet.toLowerCase()) {
        case WORLD_WALLETS.yesOfA:
          return active('a').flatMap((event) => {
            const best = favourite(event);
            return [
              ...hold(event, best),
              ...hold(event, best + 1),
              ...(event.markets.length > 12 ? hold(event, best - 2) : []),
            ];
          });
        case WORLD_WALLETS.noOfA:
          return active('a')
            .slice(0, 2)
            .flatMap((event, index) => [
              ...hold(event, favourite(event)),
              ...hold(event, favourite(event) + 2, 1),
              ...(index === 0 ? hold(event, favourite(event), 1, 12.5) : []),
            ]);
        case WORLD_WALLETS.onlyB:
          return active('b').flatMap((event) => hold(event, favourite(event)));
        case WORLD_WALLETS.mixed:
          return mixed();
        case WORLD_WALLETS.manyPages:
          return manyPages();
        default:
          return [];
      }
    },
  };
}
