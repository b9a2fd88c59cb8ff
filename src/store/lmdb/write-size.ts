/** What a write does, for a bound on the pages it takes. */
export interface WriteSize {
  /** Rows put or removed at any place. Rows put after all others do not count: they share the pages at the end. */
  readonly rows: number;
  /** Of the values, before compression. */
  readonly bytes: number;
}

/** The ends of the databases that a write appends to, the table of databases, and the list of free pages. */
const ANY_WRITE_PAGES = 96;
/** The pages from the root of a database down to a row. */
const PATH_PAGES = 3;
/** Ids of free pages that fit on a page. A commit may write the whole list again. */
const FREE_IDS_PER_PAGE = 512;

/**
 * The most new pages that a write can take at the end of the file. LMDB changes no page in place: it copies every page
 * on the way to a changed row, at most each page in use once; a page that overflows becomes two; new rows fill pages at
 * least half.
 */
export function pagesNeeded({ rows, bytes }: WriteSize, usedPages: number, pageSize: number): number {
  const copied = Math.min(PATH_PAGES * rows, usedPages);
  const split = Math.min(rows, copied + 1);
  const freeList = 2 * Math.ceil(usedPages / FREE_IDS_PER_PAGE);
  return ANY_WRITE_PAGES + copied + split + freeList + 2 * Math.ceil(bytes / pageSize);
}

/** Of one row for each text, and `others` more without a text of note. */
export function sizeOf(texts: readonly string[], others = 0): WriteSize {
  return {
    rows: texts.length + others,
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  };
}
