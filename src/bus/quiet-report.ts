import { messageOf } from '../errors.ts';

const TELL_EVERY_MS = 10_000;
const MOST_KNOWN = 100;

/** Passes on the same trouble once in ten seconds: what is tried again ten times a second would fill every log. */
export function quietReport(mono: () => number, report: (error: unknown) => void): (error: unknown) => void {
  const toldAt = new Map<string, number>();
  return (error) => {
    const text = messageOf(error);
    const before = toldAt.get(text);
    if (before !== undefined && mono() - before < TELL_EVERY_MS) return;
    if (toldAt.size >= MOST_KNOWN) toldAt.clear();
    toldAt.set(text, mono());
    report(error);
  };
}
