import type { Time } from '../../bus/time.ts';
import { RequestError } from '../../errors.ts';
import type { Answered, CommandName, Said } from './messages.ts';

/** Commands under way and those done lately, so that a repeated one is done once. */
interface KnownCommands<Name extends CommandName> {
  /** Begins a command, unless it is known, and says what has become of it within a second. */
  run(id: string, begin: () => Promise<Answered<Name>>): Promise<Said<Name>>;
}

/** An edge waits twice as long. */
const SAID_WITHIN_MS = 1_000;
/** An edge asks again at once. */
const KEPT_MS = 60_000;

interface Known<Name extends CommandName> {
  readonly outcome: Promise<Said<Name>>;
  /** On the engine's own clock; undefined while it is under way. */
  doneAt: number | undefined;
}

export function createKnownCommands<Name extends CommandName>(time: Time): KnownCommands<Name> {
  // In the order they came.
  const known = new Map<string, Known<Name>>();

  function forgetOld(): void {
    for (const [id, { doneAt }] of known) {
      if (doneAt === undefined || doneAt > time.mono() - KEPT_MS) return;
      known.delete(id);
    }
  }

  function start(id: string, begin: () => Promise<Answered<Name>>): Known<Name> {
    forgetOld();
    const each: Known<Name> = { outcome: saidOf(begin()), doneAt: undefined };
    const done = () => {
      each.doneAt = time.mono();
    };
    each.outcome.then(done, () => void known.delete(id));
    known.set(id, each);
    return each;
  }

  return {
    run: async (id, begin) => orWorking((known.get(id) ?? start(id, begin)).outcome, time),
  };
}

/** What a command has come to; a refusal is an answer too, and anything else is a bug. */
export async function saidOf<Name extends CommandName>(result: Promise<Answered<Name>>): Promise<Said<Name>> {
  try {
    return { kind: 'done', result: await result };
  } catch (error) {
    if (error instanceof RequestError) return { kind: 'refused', error };
    throw error;
  }
}

/** What is said after a second at most. */
export async function orWorking<Name extends CommandName>(
  said: Promise<Said<Name>>,
  time: Time,
): Promise<Said<Name>> {
  const waiting = new AbortController();
  try {
    const working = time.pause(SAID_WITHIN_MS, waiting.signal).then(() => ({ kind: 'working' }) as const);
    return await Promise.race([said, working]);
  } finally {
    waiting.abort();
  }
}
