/** A holding of one side of a bucket. */
interface Held {
  readonly bucket: string;
  readonly outcome: string;
  readonly tokens: number;
}

/** A Yes and a No of one bucket together are worth a dollar, whatever happens. */
interface Merge {
  readonly bucket: string;
  /** Pairs that can be merged, each for 1 USD. */
  readonly pairs: number;
}

/** What a wallet can merge in an event. */
export function mergesOf(positions: readonly Held[]): readonly Merge[] {
  const sharesOf = (bucket: string, outcome: string) =>
    positions
      .filter((each) => each.bucket === bucket && each.outcome === outcome)
      .reduce((sum, { tokens }) => sum + tokens, 0);
  return [...new Set(positions.map(({ bucket }) => bucket))]
    .map((bucket) => ({ bucket, pairs: Math.min(sharesOf(bucket, 'Yes'), sharesOf(bucket, 'No')) }))
    .filter(({ pairs }) => pairs > 0);
}
