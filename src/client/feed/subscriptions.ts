import type { TallywireError } from '../error.ts';
import type { ChannelRequest } from '../wire.ts';
import type { Outbox } from './outbox.ts';
import type { Topic } from './topic.ts';

interface SubscriptionsDeps {
  readonly outbox: Outbox;
  readonly isConnected: () => boolean;
  readonly onRequested: () => void;
}

/** The topics that are followed, and their requests to the server. */
export interface Subscriptions {
  readonly isEmpty: boolean;
  get(name: string): Topic | undefined;
  areAllCurrent(): boolean;
  /** The account of every topic that has one; undefined when there is none, or more than one. */
  onlyAccount(): string | undefined;
  add(topic: Topic): void;
  remove(topic: Topic): void;
  request(topics: Iterable<Topic>): void;
  /** Requests every topic, over a new connection. */
  requestAll(): void;
  onDisconnected(): void;
  /** The server refused a message with the topics `names`, because of `refused` if it named one. */
  onRefused(names: readonly string[], refused: string | undefined, error: TallywireError): void;
  failAll(error: TallywireError): void;
}

export function createSubscriptions(deps: SubscriptionsDeps): Subscriptions {
  const { outbox, isConnected, onRequested } = deps;
  const topics = new Map<string, Topic>();
  const due = new Set<Topic>();
  /** Topics that get a message of their own, since the server refused a message with several of them. */
  const separate = new Set<string>();

  /** Requests made in one turn of the event loop go into one message. */
  function request(wanted: Iterable<Topic>): void {
    if (due.size === 0) queueMicrotask(sendDue);
    for (const topic of wanted) due.add(topic);
  }

  function sendDue(): void {
    const together = new Map<string, ChannelRequest>();
    const wanted = [...due].filter((topic) => isConnected() && topics.get(topic.name) === topic);
    due.clear();
    for (const topic of wanted) {
      if (separate.has(topic.name)) outbox.subscribe(new Map([[topic.name, topic.startRequest()]]));
      else together.set(topic.name, topic.startRequest());
    }
    outbox.subscribe(together);
    onRequested();
  }

  function drop(name: string): void {
    topics.delete(name);
    separate.delete(name);
  }

  function fail(name: string, error: TallywireError): void {
    const topic = topics.get(name);
    drop(name);
    topic?.frame$.error(error);
  }

  return {
    get isEmpty() {
      return topics.size === 0;
    },
    get: (name) => topics.get(name),
    areAllCurrent: () => [...topics.values()].every(({ isCurrent }) => isCurrent),
    onlyAccount() {
      const accounts = new Set([...topics.values()].flatMap(({ request: { account } }) => account ?? []));
      const [only] = accounts;
      return accounts.size === 1 ? only : undefined;
    },
    add(topic) {
      topics.set(topic.name, topic);
      request([topic]);
    },
    remove(topic) {
      if (topics.get(topic.name) !== topic) return;
      drop(topic.name);
      if (isConnected()) outbox.unsubscribe([topic.request]);
    },
    request,
    requestAll: () => request(topics.values()),
    onDisconnected() {
      for (const topic of topics.values()) topic.reset();
    },
    onRefused(names, refused, error) {
      if (refused !== undefined) {
        // The server may name more topics of the message and then closes the connection: the rest is requested then.
        fail(refused, error);
        return;
      }
      if (names.length === 1) for (const name of names) fail(name, error);
      else for (const name of names) separate.add(name);
      request(names.flatMap((name) => topics.get(name) ?? []));
    },
    failAll(error) {
      for (const name of [...topics.keys()]) fail(name, error);
    },
  };
}
