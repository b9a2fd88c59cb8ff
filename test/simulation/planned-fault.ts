/** What every fault of a plan has. */
export interface PlannedFault {
  readonly kind: string;
  /** Virtual ms. */
  readonly at: number;
  /** How long it goes on, or its process is down, ms. */
  readonly forMs?: number;
  readonly downMs?: number;
}

/** When what a fault causes by itself is over, in virtual ms. */
export function endOf({ at, forMs, downMs }: PlannedFault): number {
  return at + (forMs ?? downMs ?? 0);
}
