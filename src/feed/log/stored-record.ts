import { signalsText } from '../../views/records/signal-facts.ts';
import type { View } from '../../views/view.ts';
import type { Topic } from '../channels.ts';
import { GONE } from './frames.ts';

/**
 * A record as it is kept, from which each view of it is read. Of signals that are the facts, as there is a view per
 * bankroll; of all others the text of each view, PRO first. A record that is gone has no lines.
 */
export type Lines = readonly string[];

/** Reads a view of what is kept: the same text each time. */
export function readerOf({ channel }: Topic, lines: Lines): (view: View) => string {
  const [first = GONE, free = first] = lines;
  if (channel.name !== 'signals' || lines.length === 0) return ({ name }) => (name === 'FREE' ? free : first);
  const texts = new Map<string, string>();
  return (view) => {
    const text = texts.get(view.name) ?? signalsText(first, view);
    texts.set(view.name, text);
    return text;
  };
}
