import { BOOT_NOTE, type Notes } from '../store/store.ts';
import type { SystemClock } from './clock.ts';

/** Tells how long it has been since something was logged, also when the calendar was set back while nothing ran. */
interface BootNote {
  /** Ms since `at`, which was logged under the calendar that was noted last. Less than 0 when the calendar is behind it. */
  elapsedMs(at: number): number;
  /** When this machine was started, by the present calendar: it changes only when that is set. UTC ms. */
  bootedAt(): number;
  /** Notes it if it has changed. To be called once what was logged by the same calendar is on disk, and not before. */
  keep(bootedAt: number): Promise<void>;
}

/** A time service moves the calendar by less than this at a time, and the time since boot is rounded. */
const DRIFT_MS = 100;

export function createBootNote(notes: Notes, { wall, sinceBoot }: Omit<SystemClock, 'mono'>): BootNote {
  let noted = notedIn(notes);
  const bootedAt = () => Math.round(wall() - sinceBoot());
  return {
    elapsedMs(at) {
      const calendarMs = wall() - at;
      if (noted === undefined || calendarMs < 0) return calendarMs;
      // The second by the time since boot, which is too short where the machine was started again.
      return Math.max(calendarMs, calendarMs - (bootedAt() - noted));
    },
    bootedAt,
    async keep(at) {
      if (noted !== undefined && Math.abs(at - noted) <= DRIFT_MS) return;
      await notes.set(BOOT_NOTE, String(at));
      noted = at;
    },
  };
}

function notedIn(notes: Notes): number | undefined {
  const at = Number(notes.get(BOOT_NOTE) ?? Number.NaN);
  return Number.isFinite(at) ? at : undefined;
}
