/** Where the store and the recomputation differ; null is a side that has nothing there. */
export interface Difference {
  /** The stream, `latest <stream>`, `checkpoint`, `log`, or the kind of a simulated fact. */
  readonly place: string;
  readonly seq: number;
  readonly kept: string | null;
  readonly recomputed: string | null;
}

const BEFORE_CHARS = 60;
const SHOWN_CHARS = 240;

/** Both sides, cut around the first character in which they differ: checkpoints are megabytes long. */
export function cutToDifference({ kept, recomputed, ...rest }: Difference): Difference {
  const a = kept ?? '';
  const b = recomputed ?? '';
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const from = Math.max(0, at - BEFORE_CHARS);
  const cut = (text: string | null) => {
    if (text === null || text.length <= SHOWN_CHARS) return text;
    const to = from + SHOWN_CHARS;
    return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
  };
  return { ...rest, kept: cut(kept), recomputed: cut(recomputed) };
}
