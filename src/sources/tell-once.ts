import { remembered } from '../resilience/remembered.ts';
import type { SourceContext } from './source.ts';

/** Faults of single things, such as an event, that are read again and again. */
interface Faults {
  /** Counts the fault of `name` as refused unless it is the one told last; null when there is none any more. */
  tell(name: string | number, fault: string | null, context: Pick<SourceContext, 'refused'>): void;
}

/** Remembers the faults of the last `max` names. */
export function tellOnce(max: number): Faults {
  const told = remembered<string | number, string>(max);
  return {
    tell(name, fault, context) {
      if (fault === null) {
        told.delete(name);
        return;
      }
      if (told.get(name) !== fault) context.refused(fault);
      told.set(name, fault);
    },
  };
}
