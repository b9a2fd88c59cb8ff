import type {
  Ends,
  Expectation,
  NewMessage,
  Published,
  StoredMessage,
  StreamSpec,
} from '../../../src/bus/transport.ts';

/** How long a server remembers the ids of messages. */
const IDS_FOR_MS = 120_000;

/** A stream as the servers hold it, with what real ones do of which a client must be aware. */
export interface SimulatedStream {
  readonly spec: StreamSpec;
  /** Every message that was ever stored, in order. */
  readonly history: readonly StoredMessage[];
  publish(message: NewMessage, expected: Expectation | undefined, now: number): Published;
  read(place: number): StoredMessage | undefined;
  newest(subject: string): StoredMessage | undefined;
  ends(): Ends;
  purge(isPurged: (message: StoredMessage) => boolean): void;
}

export function createSimulatedStream(spec: StreamSpec): SimulatedStream {
  const kept = new Map<number, StoredMessage>();
  const history: StoredMessage[] = [];
  const newestPlaces = new Map<string, number>();
  const ids = new Map<string, { readonly place: number; readonly at: number }>();
  let last = 0;

  const holds = (subject: string, expected: Expectation): boolean =>
    'last' in expected ? expected.last === last : expected.lastOfSubject === (newestPlaces.get(subject) ?? 0);

  return {
    spec,
    history,
    publish({ subject, id = '', body }, expected, now) {
      // As real servers do, before they look at what is expected.
      const known = id === '' ? undefined : ids.get(id);
      if (known !== undefined && now - known.at < IDS_FOR_MS) return known.place;
      if (expected !== undefined && !holds(subject, expected)) return 'refused';
      last += 1;
      const message: StoredMessage = { place: last, subject, id, body: Uint8Array.from(body) };
      const before = newestPlaces.get(subject);
      if (spec.kind === 'values' && before !== undefined) kept.delete(before);
      kept.set(last, message);
      history.push(message);
      newestPlaces.set(subject, last);
      if (id !== '') ids.set(id, { place: last, at: now });
      return last;
    },
    read: (place) => kept.get(place),
    newest: (subject) => kept.get(newestPlaces.get(subject) ?? 0),
    ends() {
      const [first = last + 1] = kept.keys();
      return { first, last };
    },
    purge(isPurged) {
      for (const message of kept.values()) {
        if (!isPurged(message)) continue;
        kept.delete(message.place);
        if (newestPlaces.get(message.subject) === message.place) newestPlaces.delete(message.subject);
      }
    },
  };
}
