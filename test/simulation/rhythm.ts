import type { Tier } from './tier.ts';

/** A part of a simulation, in virtual ms. */
export interface Stretch {
  readonly fromMs: number;
  readonly endMs: number;
  /** Until when faults happen. In the rest all can recover. */
  readonly faultsEndMs: number;
  /** Until when they are drawn: a part of an hour has those of the whole hour that happen in it. */
  readonly drawnEndMs: number;
  /** Whether nothing goes wrong, little is asked for, and the engine does everything seldom. */
  readonly isQuiet: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The share of each busy hour, or of what there is of the last one, in which faults happen. */
const FAULTS_SHARE = 52 / 60;
/** How long a day is busy after the first one. */
const BUSY_MS = 20 * MINUTE_MS;
/** Before the end of that all recovers, which takes as long as in an hour. */
const CALM_MS = 8 * MINUTE_MS;

/** When the faults of an hour end, in virtual ms, where a simulation takes so many hours. */
export function faultsEndOf(hour: number, hours: number): number {
  return (hour + Math.min(1, hours - hour) * FAULTS_SHARE) * HOUR_MS;
}

/** How many hours a simulation takes in which faults go on until `at` and a little longer; hundredths. */
export function hoursUntil(at: number): number {
  const hour = Math.floor(at / HOUR_MS);
  const share = ((at + MINUTE_MS) / HOUR_MS - hour) / FAULTS_SHARE;
  return Math.ceil((hour + Math.min(1, share)) * 100) / 100;
}

function hourly(hours: number): readonly Stretch[] {
  return Array.from({ length: Math.ceil(hours) }, (_, hour) => ({
    fromMs: hour * HOUR_MS,
    endMs: Math.min(hours, hour + 1) * HOUR_MS,
    faultsEndMs: faultsEndOf(hour, hours),
    drawnEndMs: (hour + FAULTS_SHARE) * HOUR_MS,
    isQuiet: false,
  }));
}

/**
 * What a simulation of so many hours consists of. In the dense tier all hours are alike. In the sparse one the first hour
 * is, and then every day begins with some busy minutes: whatever is slow to go wrong has time to, and little of it is spent
 * on what happens again and again. A simulation does not end in the middle of busy minutes.
 */
export function stretchesOf(tier: Tier, hours: number): readonly Stretch[] {
  if (tier === 'dense' || hours <= 1) return hourly(hours);
  const endMs = hours * HOUR_MS;
  const stretches: Stretch[] = [...hourly(1)];
  const quiet = (fromMs: number, toMs: number) => {
    if (toMs > fromMs)
      stretches.push({ fromMs, endMs: toMs, faultsEndMs: fromMs, drawnEndMs: fromMs, isQuiet: true });
  };
  quiet(HOUR_MS, Math.min(DAY_MS, endMs));
  for (let fromMs = DAY_MS; fromMs < endMs; fromMs += DAY_MS) {
    const busyEndMs = fromMs + BUSY_MS;
    const faultsEndMs = busyEndMs - CALM_MS;
    const isWhole = busyEndMs <= endMs;
    if (isWhole)
      stretches.push({ fromMs, endMs: busyEndMs, faultsEndMs, drawnEndMs: faultsEndMs, isQuiet: false });
    quiet(isWhole ? busyEndMs : fromMs, Math.min(fromMs + DAY_MS, endMs));
  }
  return stretches;
}
