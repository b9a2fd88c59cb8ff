import type { Audience } from '../../views/audience.ts';
import type { Topic } from '../channels.ts';
import { GONE } from './frames.ts';

/**
 * The stored record of a frame: its text, or facts when the rendering depends on the reader's bankroll; null when it is
 * gone.
 */
export type StoredRecord = string | null;

export function renderStored({ records }: Topic, record: StoredRecord): (audience: Audience) => string {
  if (record === null) return () => GONE;
  const facts = records.type === 'states' ? records.view.facts : undefined;
  if (facts === undefined) return () => record;
  const texts = new Map<string, string>();
  return (audience) => {
    const text = texts.get(audience.name) ?? facts.render(record, audience);
    texts.set(audience.name, text);
    return text;
  };
}
