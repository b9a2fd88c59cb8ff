import type { EntryKind, Shard } from './bus.ts';
import { BusError } from './bus-error.ts';
import { follow } from './follow.ts';
import { createAssembly } from './parts.ts';
import { beginTerm, TERM_SUBJECT, type WriterOptions } from './shard-writer.ts';

const KINDS: readonly EntryKind[] = ['log', 'outputs', 'feed', 'access'];

export function createShard(options: WriterOptions): Shard {
  const { stream } = options;
  return {
    ends: () => stream.ends(),
    follow(place, apply) {
      const assemble = createAssembly(options.epoch);
      let applied = place;
      return follow({
        ...options,
        place,
        isDense: true,
        async apply(message) {
          const entry = assemble(message);
          if (entry === undefined) return applied;
          const kind = KINDS.find((each) => each === entry.subject);
          if (kind !== undefined) {
            await apply({ kind, bytes: entry.body, place: entry.place, term: entry.term });
          } else if (entry.subject !== TERM_SUBJECT) {
            throw new BusError('BUS_DAMAGED', `the entry at place ${entry.place} is a "${entry.subject}"`);
          }
          applied = entry.place;
          return applied;
        },
      });
    },
    beginTerm: (term, place) => beginTerm(options, term, place),
  };
}
