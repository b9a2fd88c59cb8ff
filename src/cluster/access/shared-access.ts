import * as z from 'zod';
import type { Keys, Payments, UsageStore, Waitlist } from '../../store/store.ts';
import type { UsageMark } from '../entries/access-entry.ts';
import type { AccessLog } from './access-log.ts';
import { type AccessStore, USAGE_MARKS_NOTE } from './apply-change.ts';

/** The store's ports as the leading engine uses them: reads are of its own store, and every write is on the bus first. */
interface SharedAccess {
  readonly keys: Keys;
  readonly waitlist: Waitlist;
  readonly payments: Payments;
  readonly usage: UsageStore;
  readonly marks: UsageMarks;
}

/** Which batches of usage are in the sums. */
export interface UsageMarks {
  /** The last batch of an edge that is stored for good. */
  stored(edge: string): number;
  /** The last batch of an edge that is in the sums of this process, which are stored with the next write. */
  counted(edge: string): number;
  /** Notes that a batch is in the sums of this process. */
  count(edge: string, n: number, at: number): void;
}

/** An edge that has said nothing for so long is another process by now. */
const MARKS_KEPT_MS = 86_400_000;

const usageMarks = z.array(z.strictObject({ edge: z.string(), n: z.int(), at: z.number() }));

export function shareAccess(store: AccessStore, log: AccessLog): SharedAccess {
  const stored = readMarks(store);
  const counted = new Map(stored);

  function marksToStore(): readonly UsageMark[] {
    const newestAt = Math.max(0, ...Array.from(counted.values(), ({ at }) => at));
    for (const [edge, { at }] of counted) if (at < newestAt - MARKS_KEPT_MS) counted.delete(edge);
    return [...counted.values()];
  }

  return {
    keys: {
      all: () => store.keys.all(),
      put: (keys) => log.make({ op: 'keys', keys }),
    },
    waitlist: {
      claim: (entry, at) => log.make({ op: 'claim', entry, at }),
      list: () => store.waitlist.list(),
    },
    payments: {
      find: (id) => store.payments.find(id),
      reserve: (payment) => log.make({ op: 'reserve', payment }),
      put: (payment) => log.make({ op: 'payment', payment }),
      release: (id) => log.make({ op: 'release', id }),
      marked: (mark, upToAt, limit) => store.payments.marked(mark, upToAt, limit),
      prune: (beforeAt, maxRows) => log.make({ op: 'prunePayments', beforeAt, maxRows }),
    },
    usage: {
      page: (keyId, span, index) => store.usage.page(keyId, span, index),
      errors: (keyId, limit) => store.usage.errors(keyId, limit),
      async write(pages, errors) {
        const marks = marksToStore();
        await log.make({ op: 'usage', pages, errors, marks });
        for (const mark of marks) stored.set(mark.edge, mark);
      },
      prune: (beforeAt, maxRows) => log.make({ op: 'pruneUsage', beforeAt, maxRows }),
    },
    marks: {
      stored: (edge) => stored.get(edge)?.n ?? 0,
      counted: (edge) => counted.get(edge)?.n ?? 0,
      count: (edge, n, at) => void counted.set(edge, { edge, n, at }),
    },
  };
}

function readMarks({ notes }: AccessStore): Map<string, UsageMark> {
  const text = notes.get(USAGE_MARKS_NOTE);
  const marks = text === undefined ? [] : usageMarks.parse(JSON.parse(text));
  return new Map(marks.map((mark) => [mark.edge, mark]));
}
