import { BOOT_NOTE, type Notes } from '../store/store.ts';
import type { SystemClock } from './clock.ts';
import { UNTOLD_MS } from './watermarks.ts';

/** Tells how long it has been since something was logged, also when the calendar was set back while nothing ran. */
export interface BootNote {
  /**
   * Ms since `at`, which was logged under the calendar that was noted last. Where the calendar is behind it, nobody knows, and
   * it is taken for long ago.
   */
  elapsedMs(at: number): number;
  /** When this machine was started, by the present calendar: it changes only when that is set. UTC ms. */
  bootedAt(): number;
  /** Notes it if it has changed. To be called once what was logged by the same calendar is on disk, and not before. */
  keep(bootedAt: number): Promise<void>;
}

/** A time service moves the calendar by less than this at a time, and the time since boot is rounded. */
const DRIFT_MS = 100;
/** By so little a time service corrects a calendar. */
const CORRECTION_MS = 5_000;

export function createBootNote(notes: Notes, { wall, sinceBoot }: Omit<SystemClock, 'mono'>): BootNote {
  let noted = notedIn(notes);
  const bootedAt = () => Math.round(wall() - sinceBoot());
  return {
    elapsedMs(at) {
      const calendarMs = wall() - at;
      if (calendarMs < -CORRECTION_MS) return UNTOLD_MS;
      // By the time since boot, which is too short where the machine was started again.
      const bootMs = noted === undefined ? 0 : calendarMs - (bootedAt() - noted);
      return Math.max(0, calendarMs, bootMs);
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
