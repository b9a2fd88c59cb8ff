import type { Key } from '#database';

/** What the process that reads a store, which may end at any row, is asked to do and tells its parent. */

export interface CopyJob {
  /** The environment's own folder. */
  readonly source: string;
  /** Where the good rows go; null to only look. */
  readonly target: string | null;
  readonly work: readonly PartWork[];
  /** Whether the parts are compared with each other at the end. */
  readonly compares: boolean;
}

/** A part, or what is left of it after a row that cannot be read. */
export interface PartWork {
  readonly part: string;
  readonly rowsPerStep: number;
  readonly isReverse: boolean;
  /** The last row that was read in this direction. */
  readonly after: Key | null;
  /** Rows up to this one were read in the other direction. */
  readonly until: Key | null;
}

export type CopyMessage =
  | { readonly is: 'opened'; readonly layout: number }
  /** The mark of the outputs, where it can be read. */
  | { readonly is: 'mark'; readonly upTo: number }
  | { readonly is: 'begun'; readonly part: string }
  | {
      readonly is: 'rows';
      readonly part: string;
      /** Good ones. */
      readonly rows: number;
      readonly last: Key;
      /** The names of those that do not match their checksum. */
      readonly bad: readonly string[];
    }
  | { readonly is: 'checkpoint'; readonly seq: number; readonly at: number; readonly isGood: boolean }
  | { readonly is: 'ended'; readonly part: string }
  /** Rows that should be there and are not. */
  | { readonly is: 'fault'; readonly part: string; readonly message: string }
  | { readonly is: 'stuck'; readonly part: string; readonly message: string }
  | { readonly is: 'unopenable'; readonly message: string }
  | { readonly is: 'failed'; readonly message: string };
