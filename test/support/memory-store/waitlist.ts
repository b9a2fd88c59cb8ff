import { firstPlace, identitiesOf } from '../../../src/store/lmdb/waitlist.ts';
import type { Waitlist, WaitlistEntry } from '../../../src/store/store.ts';

export function createMemoryWaitlist(): Waitlist {
  const places = new Map<string, number>();
  const rows: (WaitlistEntry & { readonly position: number; readonly at: number })[] = [];
  return {
    async claim(entry, at) {
      const identities = identitiesOf(entry);
      const place = firstPlace(identities, (identity) => places.get(identity));
      const position = place ?? rows.length + 1;
      if (place === undefined) rows.push({ ...entry, position, at });
      for (const identity of identities) if (!places.has(identity)) places.set(identity, position);
      return { position, isNew: place === undefined };
    },
    *list() {
      yield* rows;
    },
  };
}
