/** The one method of `Headers` that is needed, so that a handshake's plain headers fit too. */
interface HeaderReader {
  get(name: string): string | null;
}

const IMF_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a refusing answer asks us to wait, in ms; undefined when it does not say so in a known form. `Retry-After`
 * comes first, then the reset instant some APIs send with a 429. Instants are by the clock of the host, so they count
 * from the date of the answer; from `now` only when it has none.
 */
export function retryAfterMs(status: number, headers: HeaderReader, now: number): number | undefined {
  if (status !== 429 && status !== 503 && status !== 418) return undefined;
  const sentAt = Date.parse(headers.get('date') ?? '');
  const fromAt = Number.isNaN(sentAt) ? now : sentAt;
  const asked = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,10}$/.test(asked)) return Number(asked) * 1_000;
  if (IMF_DATE.test(asked)) {
    const at = Date.parse(asked);
    if (!Number.isNaN(at)) return Math.max(0, at - fromAt);
  }
  const reset = headers.get('x-rate-limit-reset')?.trim() ?? '';
  if (/^\d{1,12}$/.test(reset)) return Math.max(0, Number(reset) * 1_000 - fromAt);
  return undefined;
}
