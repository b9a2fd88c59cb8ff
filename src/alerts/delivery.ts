import { setTimeout as delay } from 'node:timers/promises';
import { backoffDelay } from '../resilience/backoff.ts';
import type { AlertChanges, AlertPlace } from '../store/store.ts';
import type { PostOutcome } from './post.ts';
import type { AlertRule, QueuedAlert, RuleOwner } from './rule.ts';
import { alertRow, placeOf } from './stored-rules.ts';
import { createOwnerTurns } from './turns-of-owners.ts';

export interface DeliveryTimes {
  /** Before the second try; doubled with each further one up to `longestMs`. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** After so many an alert is dead. */
  readonly tries: number;
}

export const DELIVERY_TIMES: DeliveryTimes = { firstMs: 1_000, longestMs: 600_000, tries: 12 };

/** Deliveries to the receivers of one owner at a time. */
const AT_A_TIME = 4;
/** While alerts may not be sent, this is looked at so often. */
const LOOK_MS = 100;
/** Dead alerts of a rule that are kept, the newest. */
const MOST_DEAD = 1_000;

interface DeliveryDeps {
  readonly times: DeliveryTimes;
  readonly send: (rule: AlertRule, alert: QueuedAlert, signal: AbortSignal) => Promise<PostOutcome>;
  /** Resolves once the changes are on disk, however long that takes; rejects when it is stopped. */
  readonly write: (changes: AlertChanges) => Promise<void>;
  /** Whether the owner of a rule may still have alerts. */
  readonly isAdmitted: (owner: RuleOwner) => boolean;
  /** Whether alerts may be sent now, which is looked at again and again while they may not; always unless given. */
  readonly mayDeliver?: (() => boolean) | undefined;
  /** In [0, 1). */
  readonly random: () => number;
  /** Receives every error that no receiver caused. */
  readonly report: (error: unknown) => void;
  /** Called when what became of an alert cannot be stored, and only a restart recovers. */
  readonly broken: (error: unknown) => void;
  /** Called with each outcome, for the figures. */
  readonly told?: (outcome: 'delivered' | 'failed' | 'dead') => void;
}

export interface Delivery {
  /** Adds alerts of a rule that are stored as waiting, in the order of their numbers. */
  add(rule: AlertRule, alerts: readonly QueuedAlert[]): void;
  waiting(rule: string): number;
  /** Counts an alert that is stored as dead without having waited, and gives the places of those that are too many with it. */
  withDead(rule: string, n: number): readonly AlertPlace[];
  /** Why the last try failed; null unless it did. */
  lastFailure(rule: string): string | null;
  /** Stops to deliver alerts of a rule. Resolves when nothing of it is under way. */
  forget(rule: string): Promise<void>;
  /** Resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** The alerts of one rule. */
interface Line {
  readonly rule: AlertRule;
  readonly queue: QueuedAlert[];
  readonly ending: AbortController;
  running: Promise<void> | undefined;
  failure: string | null;
}

/**
 * Delivers the alerts of each rule in their order: the next one is sent when the one before was received or is dead. One
 * whose receipt could not be stored is sent again, under the same id.
 */
export function createDelivery(deps: DeliveryDeps, deadOf: (rule: string) => readonly number[]): Delivery {
  const { times, send, write, isAdmitted, mayDeliver = () => true, random, report, broken } = deps;
  const { told = () => undefined } = deps;
  const lines = new Map<string, Line>();
  const turns = createOwnerTurns(AT_A_TIME);
  const dead = new Map<string, number[]>();

  async function run(line: Line): Promise<void> {
    const { rule, queue, ending } = line;
    for (let [alert] = queue; alert !== undefined && !ending.signal.aborted; [alert] = queue) {
      while (!mayDeliver()) await delay(LOOK_MS, undefined, { signal: ending.signal, ref: false });
      const outcome = await attempt(line, alert);
      if (outcome === undefined) return;
      if (outcome.isDelivered) {
        line.failure = null;
        await write({ put: [], remove: [placeOf('waiting', alert)] });
        queue.shift();
        told('delivered');
        continue;
      }
      const tried = { ...alert, tries: alert.tries + 1, failure: outcome.failure };
      line.failure = outcome.failure;
      queue[0] = tried;
      if (outcome.isFinal || tried.tries >= times.tries) {
        await bury(rule.id, tried);
        queue.shift();
        told('dead');
        continue;
      }
      told('failed');
      await write({ put: [alertRow('waiting', tried)], remove: [] });
      // At least half of it, as many rules may have the same receiver.
      const backoffMs = backoffDelay(times, tried.tries) * (0.5 + 0.5 * random());
      await delay(Math.max(backoffMs, Math.min(outcome.retryAfterMs ?? 0, times.longestMs)), undefined, {
        signal: ending.signal,
        ref: false,
      });
    }
  }

  /** Undefined when it was given up. */
  async function attempt({ rule, ending }: Line, alert: QueuedAlert): Promise<PostOutcome | undefined> {
    if (!isAdmitted(rule.owner)) return NOT_ADMITTED;
    const end = await turns.begin(ownerName(rule.owner));
    try {
      const outcome = ending.signal.aborted ? undefined : await send(rule, alert, ending.signal);
      return ending.signal.aborted && outcome?.isDelivered !== true ? undefined : outcome;
    } finally {
      end();
    }
  }

  async function bury(rule: string, alert: QueuedAlert): Promise<void> {
    await write({
      put: [alertRow('dead', alert)],
      remove: [placeOf('waiting', alert), ...withDead(rule, alert.n)],
    });
  }

  function withDead(rule: string, n: number): readonly AlertPlace[] {
    const numbers = dead.get(rule) ?? [...deadOf(rule)];
    dead.set(rule, numbers);
    if (!numbers.includes(n)) numbers.push(n);
    const over = numbers.splice(0, Math.max(0, numbers.length - MOST_DEAD));
    return over.map((each) => ['dead', rule, each] as const);
  }

  function start(line: Line): void {
    line.running ??= run(line)
      .catch((error: unknown) => {
        if (line.ending.signal.aborted) return;
        // Sent again and again without an end otherwise.
        line.ending.abort();
        report(error);
        broken(error);
      })
      .finally(() => {
        line.running = undefined;
        // What came at the very end.
        if (line.queue.length > 0 && !line.ending.signal.aborted) start(line);
      });
  }

  async function end(line: Line): Promise<void> {
    line.ending.abort();
    await line.running;
  }

  return {
    add(rule, alerts) {
      const line = lines.get(rule.id) ?? {
        rule,
        queue: [],
        ending: new AbortController(),
        running: undefined,
        failure: alerts.at(0)?.failure ?? null,
      };
      lines.set(rule.id, line);
      line.queue.push(...alerts);
      if (line.queue.length > 0) start(line);
    },
    withDead,
    waiting: (rule) => lines.get(rule)?.queue.length ?? 0,
    lastFailure: (rule) => lines.get(rule)?.failure ?? null,
    async forget(rule) {
      const line = lines.get(rule);
      lines.delete(rule);
      dead.delete(rule);
      if (line !== undefined) await end(line);
    },
    async stop() {
      await Promise.all(Array.from(lines.values(), end));
    },
  };
}

const NOT_ADMITTED: PostOutcome = {
  isDelivered: false,
  failure: 'the key that made the rule is no key of tier PRO any more',
  isFinal: true,
  retryAfterMs: undefined,
};

function ownerName(owner: RuleOwner): string {
  return owner.type === 'key' ? `key ${owner.id}` : owner.type;
}
