import type { GuessedSlug } from './crypto-slugs.ts';

/** Guesses that the market did not know, so that they are not asked for again each minute. */
interface AbsentSlugs {
  /** The guesses worth a request at `now`, UTC ms. */
  worthAsking(guesses: readonly GuessedSlug[], now: number): readonly GuessedSlug[];
  /** The market has no event with this slug at `now`. */
  add(guess: GuessedSlug, now: number): void;
}

/**
 * An event may be listed later, so a guess is tried once more when its window opens; then it is left alone until the
 * window is over. No more is held than there are windows open and next.
 */
export function createAbsentSlugs(): AbsentSlugs {
  const absent = new Map<string, { readonly fromAt: number; readonly until: number }>();
  return {
    worthAsking(guesses, now) {
      for (const [slug, { fromAt, until }] of absent) {
        // What was found while the calendar was ahead says nothing about the present.
        if (until <= now || now < fromAt) absent.delete(slug);
      }
      return guesses.filter(({ slug }) => !absent.has(slug));
    },
    add({ slug, startAt, endAt }, now) {
      absent.set(slug, { fromAt: now, until: now < startAt ? startAt : endAt });
    },
  };
}
