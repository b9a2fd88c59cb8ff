/** What tells the time. None of them is believed alone. */
interface TimeSigns {
  /** The calendar of the machine, UTC ms. Anybody may set it. */
  readonly wall: () => number;
  /** Ms since the machine was started, its sleep included. Nobody can set it. */
  readonly sinceBoot: () => number;
  /** The present by the clocks of others, UTC ms; undefined while none of them tells. */
  readonly world?: () => number | undefined;
}

/** Why the time is in doubt, and by how much: what the calendar or the world shows, less the time that is believed. */
export interface TimeDoubt {
  readonly sign: 'calendar' | 'world';
  readonly byMs: number;
}

interface HeldTime {
  /** UTC ms. */
  now(): number;
  /** Undefined while all signs agree. */
  doubt(): TimeDoubt | undefined;
}

/** The calendar is compared once in this time, and each time that it moves further between two calls. */
const LOOK_MS = 1_000;
/** The calendar and the time since boot part by less than this while a time service corrects the calendar. */
const STEP_MS = 5_000;
/** Clocks of others are taken to agree with ours up to this. */
const AGREE_MS = 60_000;
/** A new calendar with which the world agrees is believed after this. */
const TOLD_MS = 2 * 60_000;
/** The same where nobody tells the time. */
const UNTOLD_MS = 10 * 60_000;

/**
 * The calendar, as long as it moves with the time since boot. When it is set, time goes on as if it had not been until
 * the world agrees with it for two minutes, or for ten minutes where nobody tells. Until then the world may hold on to
 * the old time as long as it likes. A machine that wakes from sleep has its calendar and its time since boot moved alike.
 */
export function createHeldTime({ wall, sinceBoot, world = () => undefined }: TimeSigns): HeldTime {
  let believed = { wall: wall(), boot: sinceBoot() };
  /** Whether the world ever agreed. Before that there is nothing to hold on to against it. */
  let isConfirmed = false;
  let step: { readonly offsetMs: number; readonly boot: number } | undefined;
  /** The calendar at the last comparison, and the time that was believed then. */
  let compared = { wall: believed.wall, held: believed.wall };

  function isStepBelieved(wallNow: number, heldNow: number, boot: number): boolean {
    const offsetMs = wallNow - boot;
    if (step === undefined || Math.abs(offsetMs - step.offsetMs) > STEP_MS) step = { offsetMs, boot };
    const heldForMs = boot - step.boot;
    const told = world();
    if (told !== undefined) {
      if (agree(told, wallNow)) return !isConfirmed || heldForMs >= TOLD_MS;
      if (agree(told, heldNow)) return false;
    }
    return heldForMs >= UNTOLD_MS;
  }

  function look(wallNow: number): number {
    const boot = sinceBoot();
    const heldNow = believed.wall + boot - believed.boot;
    const isStep = Math.abs(wallNow - heldNow) > STEP_MS;
    if (isStep && !isStepBelieved(wallNow, heldNow, boot)) return Math.round(heldNow);
    believed = { wall: wallNow, boot };
    step = undefined;
    if (!isConfirmed) isConfirmed = agree(world(), wallNow);
    return wallNow;
  }

  function now(): number {
    const wallNow = wall();
    if (Math.abs(wallNow - compared.wall) >= LOOK_MS) compared = { wall: wallNow, held: look(wallNow) };
    return compared.held + wallNow - compared.wall;
  }

  return {
    now,
    doubt() {
      const heldNow = now();
      if (step !== undefined) return { sign: 'calendar', byMs: wall() - heldNow };
      const told = world();
      return told === undefined || agree(told, heldNow) ? undefined : { sign: 'world', byMs: told - heldNow };
    },
  };
}

function agree(told: number | undefined, at: number): boolean {
  return told !== undefined && Math.abs(told - at) <= AGREE_MS;
}
