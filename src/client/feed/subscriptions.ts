import type { TallywireError } from '../error.ts';
import type { ChannelRequest } from '../wire.ts';
import type { Outbox } from './outbox.ts';
import type { Topic } from './topic.ts';

export interface WishesDeps {
  readonly outbox: Outbox;
  /** Whether there is a connection to ask over. */
  readonly isOpen: () => boolean;
  /** Told when something was asked for. */
  readonly asked: () => void;
}

/** The topics that are followed, and which of them the server is still to be asked for. */
export interface Wishes {
  readonly isEmpty: boolean;
  get(name: string): Topic | undefined;
  /** Whether nothing is awaited. */
  areCurrent(): boolean;
  add(topic: Topic): void;
  remove(topic: Topic): void;
  ask(topics: Iterable<Topic>): void;
  /** Over a new connection. */
  askAll(): void;
  /** The connection is gone. */
  forgetAll(): void;
  /** The server refused a message with these topics, because of `blamed` if it said so. */
  refuse(names: readonly string[], blamed: string | undefined, error: TallywireError): void;
  failAll(error: TallywireError): void;
}

export function createWishes({ outbox, isOpen, asked }: WishesDeps): Wishes {
  const topics = new Map<string, Topic>();
  const due = new Set<Topic>();
  /** Topics that are asked for alone, as a message with them and others was refused. */
  const alone = new Set<string>();

  /** What is asked for within one turn of the program goes into one message. */
  function ask(wanted: Iterable<Topic>): void {
    if (due.size === 0) queueMicrotask(askDue);
    for (const topic of wanted) due.add(topic);
  }

  function askDue(): void {
    const requests = new Map<string, ChannelRequest>();
    const wanted = [...due].filter((topic) => isOpen() && topics.get(topic.name) === topic);
    due.clear();
    for (const topic of wanted) {
      if (alone.has(topic.name)) outbox.subscribe(new Map([[topic.name, topic.ask()]]));
      else requests.set(topic.name, topic.ask());
    }
    outbox.subscribe(requests);
    asked();
  }

  function fail(name: string, error: TallywireError): void {
    const topic = topics.get(name);
    topics.delete(name);
    alone.delete(name);
    topic?.frame$.error(error);
  }

  return {
    get isEmpty() {
      return topics.size === 0;
    },
    get: (name) => topics.get(name),
    areCurrent: () => [...topics.values()].every(({ isCurrent }) => isCurrent),
    add(topic) {
      topics.set(topic.name, topic);
      ask([topic]);
    },
    remove(topic) {
      if (topics.get(topic.name) !== topic) return;
      topics.delete(topic.name);
      alone.delete(topic.name);
      if (isOpen()) outbox.unsubscribe([topic.request]);
    },
    ask,
    askAll: () => ask(topics.values()),
    forgetAll() {
      for (const topic of topics.values()) topic.forget();
    },
    refuse(names, blamed, error) {
      if (blamed !== undefined) {
        // More may be blamed for the same message, after which the connection ends: the others are asked for anew.
        fail(blamed, error);
        return;
      }
      if (names.length === 1) for (const name of names) fail(name, error);
      else for (const name of names) alone.add(name);
      ask(names.flatMap((name) => topics.get(name) ?? []));
    },
    failAll(error) {
      for (const name of [...topics.keys()]) fail(name, error);
    },
  };
}
