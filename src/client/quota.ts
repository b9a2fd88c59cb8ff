/** What is left of the hourly limit, as of the last answer that had the headers. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** When more requests are allowed again, UTC ms by the server's clock. */
  readonly resetAt: number;
}

/** Undefined when the call does not count towards a limit. */
export function quotaOf(headers: Headers): Quota | undefined {
  const read = (name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN);
  const [limit, remaining, resetAt] = [read('limit'), read('remaining'), read('reset') * 1_000];
  return [limit, remaining, resetAt].every(Number.isFinite) ? { limit, remaining, resetAt } : undefined;
}
