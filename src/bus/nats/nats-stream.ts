import {
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JetStreamPublishOptions,
  type JsMsg,
} from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Delivered, Deliveries, Expectation, StoredMessage, Stream } from '../transport.ts';
import { API, apiCode, isUnheard, toBusError } from './failures.ts';

const ID_HEADER = 'Nats-Msg-Id';
/** One attempt to store takes a few ms; an answer that takes longer is not waited for. */
export const PUBLISH_WITHIN_MS = 1_000;
/** Messages on their way to a reader. */
const AHEAD = 256;
const PULL_FOR_MS = 10_000;
const HEARTBEAT_MS = 1_000;
/** A server forgets a reader that has been gone for this long. */
const FORGOTTEN_AFTER_MS = 30_000;

/** What the streams of a connection share. */
export interface Session {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** The same for reading: an answer that takes longer than that to a write is not waited for either. */
  readonly reading: JetStreamManager;
  /** Throws while there is no connection: the client would keep a message and send it who knows when. */
  requireConnection(): void;
  /** Deliveries that are under way. They end when the connection is made anew, as a consumer may be gone then. */
  readonly deliveries: Set<{ stop(): void }>;
}

// The tools of NATS show a value as removed by this header.
const removal = (): MsgHdrs => {
  const made = headers();
  made.set('KV-Operation', 'DEL');
  return made;
};

function toExpect(expected: Expectation): JetStreamPublishOptions['expect'] {
  return 'last' in expected
    ? { lastSequence: expected.last }
    : { lastSubjectSequence: expected.lastOfSubject };
}

export function createNatsStream(
  session: Session,
  { stream: name, prefix }: { readonly stream: string; readonly prefix: string },
  isOfValues: boolean,
): Stream {
  const { js, jsm, reading, deliveries: active } = session;

  const attempt = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    try {
      session.requireConnection();
      return await run();
    } catch (error) {
      throw toBusError(error, what);
    }
  };

  const toMessage = (place: number, subject: string, head: MsgHdrs | undefined, body: Uint8Array) => ({
    place,
    subject: subject.slice(prefix.length),
    id: head?.get(ID_HEADER) ?? '',
    body,
  });

  /** A stream that is gone holds nothing. */
  const find = (query: { seq: number } | { last_by_subj: string }): Promise<StoredMessage | undefined> =>
    attempt(`reading the stream ${name}`, async () => {
      try {
        const found = await reading.streams.getMessage(name, query);
        return found === null ? undefined : toMessage(found.seq, found.subject, found.header, found.data);
      } catch (error) {
        if (apiCode(error) === API.noStream) return undefined;
        throw error;
      }
    });

  return {
    publish: ({ subject, id, body }, expected) =>
      attempt(`writing to the stream ${name}`, async () => {
        try {
          const ack = await js.publish(`${prefix}${subject}`, body, {
            timeout: PUBLISH_WITHIN_MS,
            ...(id !== undefined && { msgID: id }),
            ...(expected !== undefined && { expect: toExpect(expected) ?? {} }),
            ...(isOfValues && body.length === 0 && { headers: removal() }),
          });
          return ack.seq;
        } catch (error) {
          const code = apiCode(error);
          const isRefused = code === API.wrongLastSequence || code === API.wrongLastSequenceUnknown;
          // Nobody listens where a stream is gone; one that has no leader for now is found to be there by a look at it.
          if (isRefused || isUnheard(error)) return 'refused';
          throw error;
        }
      }),
    read: (place) => find({ seq: place }),
    newest: (subject) => find({ last_by_subj: `${prefix}${subject}` }),
    ends: () =>
      attempt(`asking for the ends of the stream ${name}`, async () => {
        try {
          const { state } = await jsm.streams.info(name);
          // An empty stream that was never written to has its first message at 0 on some servers, at 1 on others.
          return { first: state.messages === 0 ? state.last_seq + 1 : state.first_seq, last: state.last_seq };
        } catch (error) {
          if (apiCode(error) === API.noStream) return { first: 1, last: 0 };
          throw error;
        }
      }),
    deliver(from) {
      let messages: ConsumerMessages | undefined;
      let isStopped = false;
      const deliveries: Deliveries = {
        [Symbol.asyncIterator]: iterate,
        stop() {
          isStopped = true;
          active.delete(deliveries);
          messages?.stop();
        },
      };
      const toDelivered = (message: JsMsg): Delivered => ({
        message: toMessage(message.seq, message.subject, message.headers, message.data),
        pending: message.info.pending,
      });

      async function* iterate(): AsyncGenerator<Delivered> {
        active.add(deliveries);
        try {
          session.requireConnection();
          const consumer = await js.consumers.get(name, {
            deliver_policy: DeliverPolicy.StartSequence,
            opt_start_seq: from,
            inactive_threshold: FORGOTTEN_AFTER_MS,
          });
          messages = await consumer.consume({
            max_messages: AHEAD,
            expires: PULL_FOR_MS,
            idle_heartbeat: HEARTBEAT_MS,
          });
          if (isStopped) messages.stop();
          for await (const message of messages) yield toDelivered(message);
        } catch (error) {
          throw toBusError(error, `following the stream ${name}`);
        } finally {
          deliveries.stop();
        }
      }
      return deliveries;
    },
    purge: (under, before) =>
      attempt(`removing messages from the stream ${name}`, async () => {
        // A server takes place 1 for no limit, and would remove everything.
        if (before !== undefined && before <= 1) return;
        const filter = `${prefix}${under}.>`;
        await jsm.streams.purge(name, before === undefined ? { filter } : { filter, seq: before });
      }),
  };
}
