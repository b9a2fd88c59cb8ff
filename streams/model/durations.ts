/** Spans of time in ms. Calendar days have 23 to 25 hours; `new-york.ts` handles those. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
