import type { Cell } from './columns.ts';

/** Turns rows into the bytes of a file, a bounded number of them at a time. */
export interface RowWriter {
  /** To be followed by `flush` when it returns true. */
  put(cells: readonly Cell[]): boolean;
  flush(): Promise<void>;
  /** Writes what is left and what closes the file. */
  end(): Promise<void>;
}

/** Where the bytes go. */
export type WriteBytes = (data: string | Uint8Array) => Promise<void>;
