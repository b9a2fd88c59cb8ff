/** What is left of the hour, as of the last answer that told. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** When there is more again, UTC ms by the server's clock. */
  readonly resetAt: number;
}

/** Undefined when the answer does not count, or the caller has no limit. */
export function quotaOf(headers: Headers): Quota | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`);
    return text === null ? Number.NaN : Number(text);
  });
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  if (![limit, remaining, reset].every(Number.isFinite)) return undefined;
  return { limit, remaining, resetAt: reset * 1_000 };
}
