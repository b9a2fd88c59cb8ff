/** A place in the log: an observation, or the first one received at or after a time. */
export type LogPosition =
  | { readonly by: 'seq'; readonly seq: number }
  | { readonly by: 'time'; readonly at: number };

const SEQ = /^seq:(\d{1,15})$/;
const MS = /^\d{1,15}$/;
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** UTC ms of an ISO 8601 date, instant with zone, or a number of ms; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  if (MS.test(text)) return Number(text);
  const at = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Reads `seq:12`, `2026-01-31`, `2026-01-31T10:00:00Z` or a number of ms since 1970. */
export function parseLogPosition(text: string): LogPosition | undefined {
  const seq = SEQ.exec(text)?.[1];
  if (seq !== undefined) return { by: 'seq', seq: Number(seq) };
  const at = parseTime(text);
  return at === undefined ? undefined : { by: 'time', at };
}

/** Whether the observation is at or after the position. */
export function isReached(
  position: LogPosition,
  { seq, receivedAt }: { readonly seq: number; readonly receivedAt: number },
): boolean {
  return position.by === 'seq' ? seq >= position.seq : receivedAt >= position.at;
}
