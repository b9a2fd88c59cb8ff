import { HOUR_MS } from './durations.ts';

interface TrackedWindow {
  readonly account: string;
  readonly slug: string | null;
  readonly title: string;
  readonly startAt: number;
  readonly endAt: number;
}

interface ListedEvent {
  readonly account: string;
  readonly slug: string;
  readonly title: string;
  readonly startAt: number | null;
  readonly endAt: number;
}

/** The oracle's windows end between a second early and a minute late. */
const END_TOLERANCE_MS = 120_000;
/** Windows of different lengths may end together, so the starts are compared too. */
const START_TOLERANCE_MS = 12 * HOUR_MS;

/** The oracle's window of an event: the one with its slug, else with its title, else with about the same times. */
export function matchTracking<T extends TrackedWindow>(
  event: ListedEvent,
  trackings: readonly T[],
): T | undefined {
  const ofAccount = trackings.filter((tracking) => tracking.account === event.account);
  return (
    ofAccount.find((tracking) => tracking.slug === event.slug) ??
    ofAccount.find((tracking) => tracking.slug === null && tracking.title.trim() === event.title.trim()) ??
    ofAccount.find(
      (tracking) =>
        tracking.slug === null &&
        event.startAt !== null &&
        Math.abs(tracking.endAt - event.endAt) <= END_TOLERANCE_MS &&
        Math.abs(tracking.startAt - event.startAt) <= START_TOLERANCE_MS,
    )
  );
}
