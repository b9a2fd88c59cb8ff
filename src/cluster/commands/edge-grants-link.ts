import { createEdgeGrants, type EdgeGrants } from '../../access/limits/grants/edge-grants.ts';
import { decodeEngineMessage, type EdgeMessage } from '../../access/limits/grants/messages.ts';
import type { Time } from '../../bus/time.ts';
import { RequestError } from '../../errors.ts';

/** The edge's side of limits across edges, on the bus. */
interface EdgeGrantsLink {
  readonly grants: EdgeGrants;
  /** Gives everything back, if an engine answers in time. */
  close(): Promise<void>;
}

interface EdgeGrantsLinkDeps {
  /** Another one for each process. */
  readonly edge: string;
  /** Rejects when no engine answers. */
  readonly send: (messages: readonly EdgeMessage[]) => Promise<readonly unknown[]>;
  /** Messages that were not asked for. Takes a while when there are none. */
  readonly listen: () => Promise<readonly unknown[]>;
  readonly time: Time;
  /** Receives messages that cannot be decoded, and failures that are not for want of an engine. */
  readonly report: (error: unknown) => void;
}

/** How long after something was sent it is looked whether more is to be done, and how often in any case. */
const SOON_MS = 20;
const LATEST_MS = 1_000;
const LISTEN_AGAIN_MS = 200;
const CLOSE_WITHIN_MS = 2_000;
/** A message of the bus has about a megabyte at most. */
const MOST_CHARS = 500_000;

export function openEdgeGrants(deps: EdgeGrantsLinkDeps): EdgeGrantsLink {
  const { edge, time, report } = deps;
  const ended = new AbortController();
  let outbox: EdgeMessage[] = [];
  let wake: () => void = () => undefined;
  const grants = createEdgeGrants({ edge, send: (message) => put(message) });

  function put(message: EdgeMessage): void {
    // All of one turn of the loop go together.
    if (outbox.length === 0) queueMicrotask(sendAll);
    outbox.push(message);
  }

  function sendAll(): void {
    let batch: EdgeMessage[] = [];
    let chars = 0;
    for (const message of outbox) {
      // What a report has spent makes nearly all of its length.
      chars += 300 + ('spent' in message ? message.spent.length * 24 : 0);
      if (chars > MOST_CHARS) {
        void exchange(batch);
        batch = [];
        chars = 0;
      }
      batch.push(message);
    }
    outbox = [];
    void exchange(batch);
    wake();
  }

  /** A message that is lost is sent again. */
  async function exchange(batch: readonly EdgeMessage[]): Promise<void> {
    receiveAll((await deps.send(batch).catch(unanswered)) ?? []);
  }

  /** That no engine answers is usual; what else fails has to be known. */
  function unanswered(error: unknown): undefined {
    if (!(error instanceof RequestError)) report(error);
  }

  function receiveAll(values: readonly unknown[]): void {
    for (const value of values) {
      const message = decodeEngineMessage(value);
      if (message === undefined) report(new TypeError('the engine sent no message of the ledger'));
      else grants.receive(message, time.mono());
    }
  }

  async function tickOn(): Promise<void> {
    while (!ended.signal.aborted) {
      grants.tick(time.mono());
      const waitMs = Math.min(Math.max(grants.nextTickAt() - time.mono(), 1), LATEST_MS);
      const sooner = new AbortController();
      wake = () => {
        // Nothing is due before that.
        if (waitMs > SOON_MS) void time.pause(SOON_MS, ended.signal).then(() => sooner.abort());
        wake = () => undefined;
      };
      await time.pause(waitMs, AbortSignal.any([ended.signal, sooner.signal]));
    }
  }

  async function listenOn(): Promise<void> {
    while (!ended.signal.aborted) {
      const values = await deps.listen().catch(unanswered);
      if (values === undefined) await time.pause(LISTEN_AGAIN_MS, ended.signal);
      else receiveAll(values);
    }
  }

  void tickOn();
  void listenOn();
  return {
    grants,
    async close() {
      grants.close(time.mono());
      const endAt = time.mono() + CLOSE_WITHIN_MS;
      while (grants.status !== 'closed' && time.mono() < endAt) await time.pause(SOON_MS);
      ended.abort();
    },
  };
}
