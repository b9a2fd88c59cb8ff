/** Rows of a table of buckets, in their order: single buckets, and groups of neighbours. No bucket is left out. */
type BucketRow<B> =
  | { readonly type: 'one'; readonly bucket: B }
  | { readonly type: 'group'; readonly buckets: readonly B[] };

/**
 * At most `most` rows, always the same number for the same number of buckets: the neighbours that together have the
 * greatest weight one by one, and what is below and above them as a group each.
 */
export function bucketRows<B>(
  buckets: readonly B[],
  weight: (bucket: B) => number,
  most: number,
): readonly BucketRow<B>[] {
  const one = (bucket: B): BucketRow<B> => ({ type: 'one', bucket });
  if (buckets.length <= most) return buckets.map(one);
  const options = Array.from({ length: buckets.length }, (_, from) => windowFrom(from, buckets.length, most));
  const weightOf = ([from, to]: readonly [number, number]) =>
    buckets.slice(from, to).reduce((sum, bucket) => sum + weight(bucket), 0);
  const [from, to] = options.reduce((best, each) => (weightOf(each) > weightOf(best) ? each : best));
  const group = (members: readonly B[]): readonly BucketRow<B>[] =>
    members.length === 0 ? [] : [{ type: 'group', buckets: members }];
  return [...group(buckets.slice(0, from)), ...buckets.slice(from, to).map(one), ...group(buckets.slice(to))];
}

/** A group takes the place of one row at each end that is not reached. */
function windowFrom(wanted: number, count: number, most: number): readonly [number, number] {
  const from = Math.min(wanted, count - most + 1);
  const to = Math.min(count, from + most - (from > 0 ? 1 : 0));
  return [from, to < count ? to - 1 : to];
}
