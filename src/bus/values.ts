import type { Following } from './bus.ts';
import { BusError } from './bus-error.ts';
import { follow } from './follow.ts';
import { type RetryOptions, retryUnreachable } from './retry-unreachable.ts';
import type { Stream } from './transport.ts';

export interface Value {
  readonly key: string;
  /** Empty: removed. */
  readonly bytes: Uint8Array;
  /** Grows with every change to any value. */
  readonly revision: number;
}

interface ValuesOptions extends RetryOptions {
  readonly stream: Stream;
  readonly tailLostAfterMs: number;
}

/** Small values by key, which are replaced only by whoever knows the present one. */
export interface Values {
  /** One attempt. A removed value is there, and empty. */
  get(key: string): Promise<Value | undefined>;
  /** One attempt. The new revision, or undefined if another one than `revision` is there; 0 stands for none. */
  replace(key: string, bytes: Uint8Array, revision: number): Promise<number | undefined>;
  /** One attempt, whatever was there. Only for values that nobody reads. */
  touch(key: string): Promise<void>;
  /** Tries again through outages. */
  retry<T>(attempt: () => Promise<T>): Promise<T>;
  /** All values whose keys begin with `prefix`, then every change to them. */
  watch(prefix: string, apply: (value: Value) => void): Following;
}

export function createValues(options: ValuesOptions): Values {
  const { stream } = options;

  const get = async (key: string): Promise<Value | undefined> => {
    const message = await stream.newest(key);
    return message && { key, bytes: message.body, revision: message.place };
  };

  return {
    get,
    async replace(key, bytes, revision) {
      const published = await stream.publish({ subject: key, body: bytes }, { lastOfSubject: revision });
      if (published !== 'refused') return published;
      // An earlier attempt may have been stored without an answer, and is what refuses this one.
      const there = await get(key);
      // Nobody has replaced it: the write was not heard, as while a stream has no leader.
      if ((there?.revision ?? 0) === revision) throw unheard(key);
      const isOurs = there !== undefined && there.revision > revision && sameBytes(there.bytes, bytes);
      return isOurs ? there.revision : undefined;
    },
    async touch(key) {
      const published = await stream.publish({ subject: key, body: new Uint8Array([1]) });
      if (published === 'refused') throw unheard(key);
    },
    retry: (attempt) => retryUnreachable(options, attempt),
    watch: (prefix, apply) =>
      follow({
        ...options,
        place: 0,
        isDense: false,
        apply({ place, subject, body }) {
          if (subject.startsWith(prefix)) apply({ key: subject, bytes: body, revision: place });
          return place;
        },
      }),
  };
}

function unheard(key: string): BusError {
  return new BusError('BUS_UNREACHABLE', `${key} could not be written`);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
