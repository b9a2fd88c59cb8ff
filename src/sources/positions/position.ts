/** A wallet's holding of one token of one market, as the market reports it. Units: shares and USD. */
export interface Position {
  readonly wallet: string;
  readonly token: string;
  readonly oppositeToken: string | null;
  readonly conditionId: string;
  readonly eventId: number | null;
  readonly eventSlug: string | null;
  readonly marketSlug: string;
  readonly outcome: 'Yes' | 'No' | string;
  readonly size: number;
  readonly avgPrice: number;
  readonly costBasis: number;
  readonly currentPrice: number;
  readonly currentValue: number;
  readonly isRedeemable: boolean;
  readonly isMergeable: boolean;
}

/** The names a position gives to its market, null where they cannot be read. */
export interface HeldMarket {
  readonly token: string | null;
  readonly conditionId: string | null;
  readonly marketSlug: string | null;
}

/** Open positions of a wallet. Rejects with a SourceError when the market cannot be reached or its answer is refused. */
export interface Positions {
  of(wallet: string): Promise<readonly Position[]>;
}
