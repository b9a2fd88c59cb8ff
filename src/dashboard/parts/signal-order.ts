import { isPassed } from '../state/advice.ts';

interface Listed {
  readonly bucket: string;
  readonly action: string;
  readonly buy_no: object | null;
  readonly reason_codes: readonly string[];
}

/** The first of the list, which begins with the best edges; whatever is to be traded comes before the rest of it. */
export function mostNotable<S extends Listed>(signals: readonly S[], count: number): readonly S[] {
  const isTrade = ({ action, buy_no }: S) => action === 'BUY' || action === 'SELL' || buy_no !== null;
  return [...signals.filter(isTrade), ...signals.filter((each) => !isTrade(each))].slice(0, count);
}

/** Buckets that a count has passed while somebody bids for them come first, the others by count. */
export function inOrder(a: Listed, b: Listed): number {
  const isFirst = Number(isPassed(b)) - Number(isPassed(a));
  return isFirst === 0 ? lowerEnd(a.bucket) - lowerEnd(b.bucket) : isFirst;
}

/** The lower end in the title of a bucket, such as `<140`, `140-164` or `340+`. */
function lowerEnd(title: string): number {
  return title.startsWith('<') ? 0 : Number.parseInt(title, 10);
}
