import { createOverrides } from '../../src/world/control/overrides.ts';
import type { Account } from '../../src/world/life/accounts.ts';
import { createListedEvents } from '../../src/world/market/listed-events.ts';
import type { WorldSize } from '../../src/world/size.ts';
import { START_AT } from './stage.ts';

/** A window as the world has it. */
export interface WorldWindow {
  readonly eventId: number;
  readonly slug: string;
  readonly account: string;
  /** UTC ms. */
  readonly startAt: number;
  readonly endAt: number;
}

const DAY_MS = 86_400_000;

/**
 * Tells the windows that are open in a world at an instant, or ended within the day before, while no fault moves any. Those
 * that began before the history that is read are left out: posts of theirs are unknown for good.
 */
export function createWorldWindows(world: {
  readonly seed: number;
  readonly accounts: readonly Account[];
  readonly size: WorldSize;
  readonly historyDays: number;
}): (now: number) => readonly WorldWindow[] {
  const readFrom = START_AT - world.historyDays * DAY_MS;
  const listed = createListedEvents({ ...world, startAt: START_AT, overrides: createOverrides() });
  return (now) =>
    world.accounts.flatMap(({ id }) =>
      listed
        .ofAccount(id, now)
        .filter(({ startAt }) => readFrom <= startAt && startAt <= now)
        .filter(({ endAt }) => endAt > Math.max(START_AT, now - DAY_MS))
        .map((event) => ({
          eventId: event.id,
          slug: event.slug,
          account: id,
          startAt: event.startAt,
          endAt: event.endAt,
        })),
    );
}
