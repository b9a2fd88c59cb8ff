import { LRUCache } from 'lru-cache';
import { RequestError } from '../../errors.ts';

const KEPT_BODIES = 64;
const MAX_WAITING = 32;
const RETRY_AFTER_SECONDS = '2';

/** Caches bodies about the past, which never change. */
export interface PastBodies {
  /** The body under the name; concurrent calls share one computation. Throws a 503 when too many wait. */
  of(name: string, make: () => Promise<string>): Promise<string>;
}

/** Makes one body after the other, as this runs on the thread that answers requests. */
export function createPastBodies(keptBodies = KEPT_BODIES): PastBodies {
  const bodies = new LRUCache<string, Promise<string>>({ max: keptBodies });
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
      const known = bodies.get(name);
      if (known !== undefined) return known;
      if (waiting >= MAX_WAITING) {
        throw new RequestError(503, 'past_busy', 'Too many questions about the past are waiting', {
          'Retry-After': RETRY_AFTER_SECONDS,
        });
      }
      const body = inTurn(make);
      bodies.set(name, body);
      body.catch(() => bodies.delete(name));
      return body;
    },
  };
}
