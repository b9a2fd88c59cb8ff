import { setMaxListeners } from 'node:events';
import { BusError, closedError } from '../../../src/bus/bus-error.ts';
import type { Time } from '../../../src/bus/time.ts';
import type {
  Delivered,
  Deliveries,
  Expectation,
  NewMessage,
  Published,
  StoredMessage,
  Stream,
  StreamSpec,
  Transport,
} from '../../../src/bus/transport.ts';
import { createRng } from '../../../src/world/rng.ts';
import { createSimulatedStream, type SimulatedStream } from './simulated-stream.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How often something goes wrong: chances from 0 to 1, of each request or delivered message. */
export interface Faults {
  readonly lostRequest: number;
  readonly lostAnswer: number;
  /** Arrives after the sender has given up. */
  readonly lateRequest: number;
  readonly repeatedRequest: number;
  readonly repeatedDelivery: number;
  /** Of logs alone: a reader of values could not notice. */
  readonly skippedDelivery: number;
  readonly brokenDelivery: number;
  readonly silentDelivery: number;
  /** Comes seconds late, and so does all that follows it. */
  readonly lateDelivery: number;
}

export const NO_FAULTS: Faults = {
  lostRequest: 0,
  lostAnswer: 0,
  lateRequest: 0,
  repeatedRequest: 0,
  repeatedDelivery: 0,
  skippedDelivery: 0,
  brokenDelivery: 0,
  silentDelivery: 0,
  lateDelivery: 0,
};

/** A process of the cluster, and what may happen to it. */
export interface SimulatedNode {
  readonly transport: Transport;
  readonly time: Time;
  /** Nothing comes or goes until it is rejoined; its own clock runs. */
  cutOff(): void;
  rejoin(): void;
  /** What it sends arrives, and nothing comes back. */
  setDeaf(isDeaf: boolean): void;
  /** Nothing happens in it until it is resumed; its clock runs on, and what came meanwhile happens then. */
  freeze(): void;
  resume(): void;
  /** It is gone, at once and for good. */
  kill(): void;
}

interface NodeOptions {
  readonly isEngine?: boolean;
  /** Runs in the process what has come for it; at once unless given. */
  readonly run?: (act: () => void) => void;
}

export interface SimulatedCluster {
  connect(options?: NodeOptions): SimulatedNode;
  setFaults(faults: Partial<Faults>): void;
  /** Stops and starts the servers. What they hold stays. */
  setDown(isDown: boolean): void;
  /** Whether the servers answer reads alone, as those do that have lost their majority. */
  setReadOnly(isReadOnly: boolean): void;
  /** A stream is gone, or all are. */
  remove(name?: string): void;
  stream(name: string): SimulatedStream;
  /** Undefined where there is none. */
  find(name: string): SimulatedStream | undefined;
  /** A stream is there with these messages alone. */
  restore(name: string, spec: StreamSpec, messages: readonly StoredMessage[]): void;
}

const ATTEMPT_MS = 1_000;
const LARGEST_BODY = 1_000;
const SHORTEST_TRIP_MS = 0.1;
const LONGEST_TRIP_MS = 3;
const LATEST_MS = 5_000;

/** Something under way to a node; `run` happens there. */
type Arrive = (run: () => void) => void;

interface Answerer {
  readonly prefix: string;
  readonly arrive: Arrive;
  readonly isReachable: () => boolean;
  readonly handle: (name: string, body: Uint8Array) => Promise<Uint8Array>;
}

interface Subscriber {
  readonly stream: string;
  push(): void;
}

/** Servers and a network in memory. All chance comes from the seed and all time from `time`. */
export function createSimulatedCluster(
  seed: number,
  time: Pick<VirtualTime, 'mono' | 'after'>,
  largestBody = LARGEST_BODY,
): SimulatedCluster {
  const rng = createRng(seed, 'simulated cluster');
  const streams = new Map<string, SimulatedStream>();
  const subscribers = new Set<Subscriber>();
  const answerers = new Set<Answerer>();
  let faults = NO_FAULTS;
  let isDown = false;
  let isReadOnly = false;

  const happens = (chance: number): boolean => chance > 0 && rng.next() < chance;
  const tripMs = () => SHORTEST_TRIP_MS + rng.next() * (LONGEST_TRIP_MS - SHORTEST_TRIP_MS);
  const unreachable = (what: string) => new BusError('BUS_UNREACHABLE', `no answer to ${what}`);

  /** A stream that is gone acts as an empty one that refuses everything. */
  const publishTo = (name: string, message: NewMessage, expected: Expectation | undefined): Published => {
    const published = streams.get(name)?.publish(message, expected, time.mono()) ?? 'refused';
    for (const each of subscribers) if (each.stream === name) each.push();
    return published;
  };

  function connect({ isEngine = true, run: runIn = (act) => act() }: NodeOptions = {}): SimulatedNode {
    const closing = new AbortController();
    setMaxListeners(0, closing.signal);
    let isCutOff = false;
    let isDeaf = false;
    let isFrozen = false;
    let isDead = false;
    let held: (() => void)[] = [];

    const arrive: Arrive = (run) => {
      if (isDead) return;
      if (isFrozen) held.push(run);
      else runIn(run);
    };
    const isReachable = () => !isDown && !isCutOff && !isDead;

    /** Asks the servers to do something; what it does there may happen without an answer, late, or twice. */
    const call = <T>(what: string, act: () => T, isWrite = false): Promise<T> =>
      new Promise((resolve, reject) => {
        if (closing.signal.aborted) return reject(closedError());
        const onClose = () => reject(closedError());
        closing.signal.addEventListener('abort', onClose, { once: true });
        const forget = time.after(ATTEMPT_MS, () =>
          arrive(() => {
            closing.signal.removeEventListener('abort', onClose);
            reject(unreachable(what));
          }),
        );
        const answer = (settle: () => void) => {
          if (!isReachable() || happens(faults.lostAnswer)) return;
          time.after(tripMs(), () => {
            if (isCutOff || isDeaf) return;
            arrive(() => {
              forget();
              closing.signal.removeEventListener('abort', onClose);
              settle();
            });
          });
        };
        const atServers = () => {
          if (isDown || (isWrite && isReadOnly)) return;
          try {
            const result = act();
            answer(() => resolve(result));
          } catch (error) {
            answer(() => reject(error));
          }
        };
        if (!isReachable() || happens(faults.lostRequest)) return;
        time.after(happens(faults.lateRequest) ? ATTEMPT_MS + rng.next() * LATEST_MS : tripMs(), atServers);
        if (happens(faults.repeatedRequest)) time.after(tripMs() + rng.next() * LATEST_MS, atServers);
      });

    const deliver = (name: string, from: number): Deliveries => {
      /** An error ends it once what was sent before is taken. */
      const queue: (Delivered | BusError)[] = [];
      let next = from;
      let end: { readonly error?: BusError } | undefined;
      let isSilent = !isReachable();
      /** Whether nothing more is sent. What is under way arrives. */
      let isOver = false;
      let wake: () => void = () => undefined;
      let freeAt = 0;

      const onClose = () => finish({ error: closedError() });
      const finish = (how: { readonly error?: BusError }) => {
        end ??= how;
        subscribers.delete(subscriber);
        closing.signal.removeEventListener('abort', onClose);
        wake();
      };
      const send = (delivered: Delivered | BusError) => {
        // One after the other: a connection keeps the order.
        const lateMs = happens(faults.lateDelivery) ? rng.next() * LATEST_MS : 0;
        freeAt = Math.max(freeAt, time.mono() + tripMs() + lateMs);
        time.after(freeAt - time.mono(), () => {
          if (!isReachable() || isDeaf) isSilent = true;
          if (isSilent) return;
          arrive(() => {
            queue.push(delivered);
            wake();
          });
        });
      };
      const subscriber: Subscriber = {
        stream: name,
        push() {
          if (!isReachable()) isSilent = true;
          const stream = streams.get(name);
          if (isSilent || isOver || stream === undefined) return;
          const { first, last } = stream.ends();
          for (next = Math.max(next, first); next <= last; next++) {
            const message = stream.read(next);
            if (message === undefined) continue;
            if (stream.spec.kind === 'log' && happens(faults.skippedDelivery)) continue;
            if (happens(faults.silentDelivery)) isOver = true;
            else if (happens(faults.brokenDelivery)) {
              isOver = true;
              send(unreachable('a delivery'));
            }
            if (isOver) return;
            const delivered = { message, pending: last - next };
            send(delivered);
            if (happens(faults.repeatedDelivery)) send(delivered);
          }
        },
      };
      subscribers.add(subscriber);
      closing.signal.addEventListener('abort', onClose, { once: true });
      subscriber.push();

      async function* iterate(): AsyncGenerator<Delivered> {
        for (;;) {
          const delivered = queue.shift();
          if (delivered !== undefined && end === undefined) {
            if (delivered instanceof BusError) throw delivered;
            yield delivered;
          } else if (end !== undefined) {
            if (end.error !== undefined) throw end.error;
            return;
          } else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      }
      return { [Symbol.asyncIterator]: iterate, stop: () => finish({}) };
    };

    const openStream = (spec: StreamSpec): Promise<Stream | undefined> =>
      call(`opening ${spec.name}`, () => {
        const { name } = spec;
        const there = streams.get(name);
        if (there === undefined && !isEngine) return undefined;
        if (there !== undefined && there.spec.cluster !== spec.cluster) {
          throw new BusError('BUS_OTHER_CLUSTER', `the stream ${name} belongs to another cluster`);
        }
        if (there === undefined) streams.set(name, createSimulatedStream(spec));
        return {
          publish: (message, expected) =>
            call(`a message for ${name}`, () => publishTo(name, message, expected), true),
          read: (place) => call(`reading ${name}`, () => streams.get(name)?.read(place)),
          newest: (subject) => call(`reading ${name}`, () => streams.get(name)?.newest(subject)),
          ends: () => call(`the ends of ${name}`, () => streams.get(name)?.ends() ?? { first: 1, last: 0 }),
          deliver: (from) => deliver(name, from),
          purge: (prefix, before = Number.POSITIVE_INFINITY) =>
            call(`purging ${name}`, () =>
              streams
                .get(name)
                ?.purge(({ subject, place }) => subject.startsWith(`${prefix}.`) && place < before),
            ),
        };
      });

    const ask = (subject: string, body: Uint8Array, timeoutMs: number): Promise<Uint8Array> =>
      new Promise((resolve, reject) => {
        if (closing.signal.aborted) return reject(closedError());
        const onClose = () => reject(closedError());
        closing.signal.addEventListener('abort', onClose, { once: true });
        const forget = time.after(timeoutMs, () => arrive(() => end(() => reject(unreachable(subject)))));
        const end = (settle: () => void) => {
          forget();
          closing.signal.removeEventListener('abort', onClose);
          settle();
        };
        if (!isReachable() || happens(faults.lostRequest)) return;
        time.after(tripMs(), () => {
          if (isDown) return;
          const listening = [...answerers].filter(
            (each) => each.isReachable() && subject.startsWith(`${each.prefix}.`),
          );
          const chosen = listening[Math.floor(rng.next() * listening.length)];
          const back = (settle: () => void) => {
            if (happens(faults.lostAnswer)) return;
            time.after(tripMs(), () => {
              if (isReachable() && !isDeaf) arrive(() => end(settle));
            });
          };
          if (chosen === undefined) {
            back(() => reject(new BusError('BUS_NO_ANSWER', `nobody answers ${subject}`)));
            return;
          }
          time.after(tripMs(), () =>
            chosen.arrive(() => {
              const answered = chosen.handle(subject.slice(chosen.prefix.length + 1), Uint8Array.from(body));
              answered.then(
                (answer) => chosen.isReachable() && back(() => resolve(answer)),
                (error: unknown) => back(() => reject(error)),
              );
            }),
          );
        });
      });

    return {
      transport: {
        requests: {
          ask,
          answer(prefix, handle) {
            const answerer = { prefix, arrive, isReachable, handle };
            answerers.add(answerer);
            closing.signal.addEventListener('abort', () => answerers.delete(answerer), { once: true });
            return () => answerers.delete(answerer);
          },
        },
        largestBody,
        facts: () => ({ version: 'simulated', servers: ['simulated'], replicas: 1 }),
        isConnected: () => isReachable() && !closing.signal.aborted,
        openStream,
        async close() {
          closing.abort();
        },
      },
      time: {
        mono: () => time.mono(),
        pause: (ms, signal) =>
          new Promise((resolve) => {
            if (signal?.aborted === true) return resolve();
            const end = () => {
              forget();
              signal?.removeEventListener('abort', end);
              resolve();
            };
            const forget = time.after(ms, () => arrive(end));
            signal?.addEventListener('abort', end, { once: true });
          }),
      },
      cutOff() {
        isCutOff = true;
      },
      rejoin() {
        isCutOff = false;
      },
      setDeaf(value) {
        isDeaf = value;
      },
      freeze() {
        isFrozen = true;
      },
      resume() {
        isFrozen = false;
        const runs = held;
        held = [];
        for (const run of runs) run();
      },
      kill() {
        isDead = true;
        held = [];
      },
    };
  }

  return {
    connect,
    setFaults(changed) {
      faults = { ...NO_FAULTS, ...changed };
    },
    setDown(value) {
      isDown = value;
    },
    setReadOnly(value) {
      isReadOnly = value;
    },
    remove(name) {
      if (name === undefined) streams.clear();
      else streams.delete(name);
    },
    restore(name, spec, messages) {
      const stream = createSimulatedStream(spec);
      for (const message of messages) stream.publish(message, undefined, time.mono());
      streams.set(name, stream);
    },
    find: (name) => streams.get(name),
    stream(name) {
      const stream = streams.get(name);
      if (stream === undefined) throw new RangeError(`there is no stream ${name}`);
      return stream;
    },
  };
}
