import { LRUCache } from 'lru-cache';
import { RequestError } from '../../errors.ts';

/** Characters of bodies that are kept: a dozen long ones. */
const MAX_KEPT_CHARS = 1_024 * 1_024;
const MAX_WAITING = 32;
const RETRY_AFTER_SECONDS = '2';

/** Caches bodies about the past, which never change. */
export interface PastBodies {
  /** The body under the name; concurrent calls share one computation. Throws a 503 when too many wait. */
  of(name: string, make: () => Promise<string>): Promise<string>;
}

/** Makes one body after the other, as this runs on the thread that answers requests. */
export function createPastBodies(): PastBodies {
  const kept = new LRUCache<string, string>({
    maxSize: MAX_KEPT_CHARS,
    sizeCalculation: (body) => Math.max(1, body.length),
  });
  const underWay = new Map<string, Promise<string>>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(make: () => Promise<string>): Promise<string> {
    waiting += 1;
    const body = last.then(make).finally(() => {
      waiting -= 1;
    });
    // A failure reaches its caller and does not stop the others.
    last = body.catch(() => undefined);
    return body;
  }

  return {
    of(name, make) {
      const whole = kept.get(name);
      if (whole !== undefined) return Promise.resolve(whole);
      const begun = underWay.get(name);
      if (begun !== undefined) return begun;
      if (waiting >= MAX_WAITING) {
        throw new RequestError(503, 'past_busy', 'Too many questions about the past are waiting', {
          'Retry-After': RETRY_AFTER_SECONDS,
        });
      }
      const body = inTurn(async () => {
        const made = await make();
        kept.set(name, made);
        return made;
      }).finally(() => underWay.delete(name));
      underWay.set(name, body);
      return body;
    },
  };
}
