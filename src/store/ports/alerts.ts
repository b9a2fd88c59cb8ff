/**
 * Where a row of alerts stands: `upTo`, the seq of the log up to which outputs were looked at; a `rule` and what it
 * remembers, its `state`; alerts that are `waiting` to be delivered, and `dead` ones, each under its number.
 */
export type AlertPlace = readonly [
  kind: 'upTo' | 'rule' | 'state' | 'waiting' | 'dead',
  rule: string,
  n: number,
];

/** Only alerts read `text`. */
export interface AlertRow {
  readonly place: AlertPlace;
  readonly text: string;
}

export interface AlertChanges {
  readonly put: readonly AlertRow[];
  readonly remove: readonly AlertPlace[];
}

/** Rules of alerts, and what came of them. */
export interface StoredAlerts {
  /** All rows of a kind, by rule and number; of one rule if it is given. */
  rows(kind: AlertPlace[0], rule?: string): readonly AlertRow[];
  /** Resolves once all of it is on disk, or rejects with none of it kept. */
  write(changes: AlertChanges): Promise<void>;
}
