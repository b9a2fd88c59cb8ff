import type { Audience } from '../../views/audience.ts';
import type { Topic } from '../channels.ts';
import { GONE } from './frames.ts';

/**
 * The stored lines of a frame's record: the text for each audience, PRO first, or one line of facts when the rendering
 * depends on the reader's bankroll. A record that is gone has no lines.
 */
export type StoredRecord = readonly string[];

export function renderStored({ records }: Topic, lines: StoredRecord): (audience: Audience) => string {
  const [first = GONE, free = first] = lines;
  const facts = records.type === 'states' ? records.view.facts : undefined;
  if (facts === undefined || lines.length === 0) return ({ name }) => (name === 'FREE' ? free : first);
  const texts = new Map<string, string>();
  return (audience) => {
    const text = texts.get(audience.name) ?? facts.render(first, audience);
    texts.set(audience.name, text);
    return text;
  };
}
