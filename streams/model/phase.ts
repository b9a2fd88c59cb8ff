export interface Window {
  readonly startAt: number | null;
  readonly endAt: number;
  readonly isClosed: boolean;
}

/** The phase of an event at `now`; its window is half-open, `[startAt, endAt)`. */
export function phaseAt(window: Window, now: number): 'upcoming' | 'active' | 'ended' | 'closed' {
  if (window.isClosed) return 'closed';
  if (now >= window.endAt) return 'ended';
  return window.startAt !== null && window.startAt <= now ? 'active' : 'upcoming';
}

/** The next instant after `now` at which the clock alone changes the phase; Infinity when none will. */
export function nextPhaseAt(window: Window, now: number): number {
  if (window.isClosed || now >= window.endAt) return Number.POSITIVE_INFINITY;
  const isBefore = window.startAt !== null && now < window.startAt;
  // A window that starts after its end never opens, but it does end.
  return isBefore ? Math.min(window.startAt, window.endAt) : window.endAt;
}
