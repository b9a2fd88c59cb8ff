import { GRAPH_VERSION } from '../../../streams/internal.ts';
import type { Bus, Following, Lease } from '../../bus/bus.ts';
import { BusError, type BusErrorCode } from '../../bus/bus-error.ts';
import type { Time } from '../../bus/time.ts';
import type { StandbyEngine } from '../../engine/engine.ts';
import { ServiceError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { encodeMember, type Member } from '../entries/member.ts';
import { beginningOf, notePosition, type Position } from './position.ts';
import { createPublishing, type LeaderPublishing } from './publish.ts';
import { createReplica, type Replica } from './replica.ts';
import { publishMissing } from './take-over.ts';

const SECOND_MS = 1_000;
const LOOK_MS = 50;
interface JoinDeps {
  readonly bus: Bus;
  readonly shard: string;
  /** A name that no other process has, and one that the process keeps over restarts. */
  readonly owner: string;
  readonly member: string;
  /** Of the machine, and of the program. */
  readonly host: string;
  readonly version: string;
  /** The data folder. */
  readonly data: string;
  readonly store: Store;
  readonly engine: StandbyEngine;
  readonly time: Time;
  /** UTC ms. */
  readonly now: () => number;
  /** Leads: resolves when sources are started and readers are served. Everything is closed again by `stopLeading`. */
  readonly lead: (leadership: Leadership) => Promise<void>;
  readonly stopLeading: () => Promise<void>;
  /** At a stop, what is being appended may take this long. Then it is left to the next leader. */
  readonly lastAppendMs: number;
  readonly report: (news: ClusterNews) => void;
}

export interface Leadership {
  readonly lease: Lease;
  readonly publishing: LeaderPublishing;
}

export type ClusterNews =
  | { readonly type: 'standing_by'; readonly seq: number }
  | { readonly type: 'leading'; readonly term: number; readonly seq: number }
  | { readonly type: 'alarm'; readonly message: string }
  | { readonly type: 'trouble'; readonly error: unknown };

export interface Membership {
  /** Resolves when this process cannot go on: it has to be stopped, and may be started again. */
  readonly over: Promise<ServiceError>;
  state(): Member;
  /** Ms for which the bus has not taken what the leader has to append; 0 while it does. */
  heldMs(): number;
  /** Stops leading or following, and lets a standby take over at once. */
  stop(): Promise<void>;
}

function termOver(shard: string, term: number, cause?: unknown): ServiceError {
  return new ServiceError(
    'CLUSTER_TERM_OVER',
    `term ${term} of the shard ${shard} is over, as another engine leads it; started again, this one stands by`,
    { cause },
  );
}

/** Follows the log of a shard, and leads the shard when no other engine does. */
export async function joinShard(deps: JoinDeps): Promise<Membership> {
  const { bus, shard: name, store, engine, time, report } = deps;
  const shard = await bus.shard(name);
  const beginning = beginningOf(store, { epoch: bus.epoch, shard: name, data: deps.data });
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Set when the outputs of this engine were not those of the leader. */
  let difference: string | undefined;
  let leading: Leadership | undefined;
  let following: Following | undefined;
  let tellOver: (error: ServiceError) => void = () => undefined;
  const over = new Promise<ServiceError>((resolve) => {
    tellOver = resolve;
  });

  /** Ends a campaign when this engine must not lead any more. */
  let campaigning = new AbortController();
  const otherVersion = () => {
    const { graphVersion } = replica.position;
    return graphVersion === null || graphVersion === GRAPH_VERSION ? undefined : graphVersion;
  };
  const alarm = (): string | null => {
    const version = otherVersion();
    if (difference !== undefined || version === undefined || leading !== undefined) return difference ?? null;
    return `the shard ${name} is led with graph version ${version}, and this engine has ${GRAPH_VERSION}: it will not take over`;
  };

  const replica = createReplica({
    store,
    engine,
    beginning,
    onDifference(upTo) {
      if (difference !== undefined) return;
      difference = `the outputs up to seq ${upTo} are not those of the leading engine: this engine will not take over`;
      campaigning.abort();
      report({ type: 'alarm', message: difference });
    },
    report: (error) => report({ type: 'trouble', error }),
  });

  const position = (): Position => leading?.publishing.position ?? replica.position;
  let noted = beginning.position;
  async function note(): Promise<void> {
    const now = position();
    if (now === noted || (leading === undefined && !replica.isConfirmed())) return;
    await notePosition(store.notes, now);
    noted = now;
  }

  const member = (): Member => {
    const { place, seq, digest } = position();
    const caughtUpAt = following?.caughtUpAt;
    const lagMs = caughtUpAt === undefined ? null : Math.max(0, time.mono() - caughtUpAt);
    return {
      role: 'engine',
      host: deps.host,
      shard: name,
      state: leading === undefined ? 'standby' : 'leader',
      term: leading?.lease.term ?? null,
      version: deps.version,
      graphVersion: GRAPH_VERSION,
      place,
      seq,
      digest,
      lagMs: leading === undefined ? lagMs : 0,
      alarm: alarm(),
      at: deps.now(),
    };
  };

  /** Notes the position and tells the others of this process, each second. */
  async function tell(): Promise<void> {
    const members = bus.shared('members');
    while (!signal.aborted) {
      replica.onSecond(deps.now());
      await note().catch((error: unknown) => report({ type: 'trouble', error }));
      await members.set(deps.member, encodeMember(member())).catch((error: unknown) => {
        if (!signal.aborted) report({ type: 'trouble', error });
      });
      await time.pause(SECOND_MS, signal);
    }
  }

  /** Follows until it is stopped; rejects when that is not possible. */
  async function follow(place: number): Promise<void> {
    following = shard.follow(place, async (entry) => {
      const before = otherVersion();
      await replica.apply(entry);
      if (otherVersion() !== before) campaigning.abort();
    });
    try {
      await following.ended;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      if (error.code === 'BUS_BEHIND_TAIL') throw behind(error, replica);
      if (error.code !== 'BUS_TAIL_LOST') throw error;
      // What is still there is compared with the own log, which may then be appended again.
      report({ type: 'trouble', error });
      const { first } = await shard.ends();
      return follow(first - 1);
    }
  }

  /** The place that is followed from. */
  async function firstPlace(): Promise<number> {
    if (beginning.is !== 'shortened') return beginning.position.place;
    const { first } = await shard.ends();
    return first - 1;
  }

  async function caughtUp(since: number): Promise<void> {
    while (!signal.aborted && (following?.caughtUpAt ?? Number.NEGATIVE_INFINITY) < since) {
      await time.pause(LOOK_MS, signal);
    }
  }

  /** Whether this engine may lead: one of another graph version only after the others have stopped in order. */
  async function mayLead(): Promise<boolean> {
    if (otherVersion() === undefined) return true;
    const current = await bus.leases.current(name);
    return current === undefined || current.owner === '';
  }

  /** Resolves to undefined when this engine is stopped or must never lead; rejects when it cannot follow. */
  async function win(ended: Promise<void>): Promise<Lease | undefined> {
    while (!signal.aborted && difference === undefined) {
      if (await Promise.race([mayLead(), ended.then(() => false)])) {
        campaigning = new AbortController();
        const either = AbortSignal.any([signal, campaigning.signal]);
        const won = bus.leases.campaign(name, deps.owner, either).catch((error: unknown) => {
          if (either.aborted) return undefined;
          throw error;
        });
        const lease = await Promise.race([won, ended.then(() => undefined)]);
        if (lease !== undefined) return lease;
      } else {
        const message = alarm();
        if (message !== null && message !== told) report({ type: 'alarm', message });
        told = message;
        await time.pause(SECOND_MS, signal);
      }
    }
    return undefined;
  }
  let told: string | null = null;

  async function standBy(): Promise<void> {
    let ended = follow(await firstPlace());
    // Told below, or when this engine is stopped.
    ended.catch(() => undefined);
    await Promise.race([caughtUp(time.mono()), ended]);
    replica.confirm();
    report({ type: 'standing_by', seq: store.journal.head });
    const lease = await win(ended);
    if (lease === undefined) return ended;
    try {
      let writer = await beginTerm(lease);
      while (writer === 'behind') {
        ended = follow(replica.position.place);
        ended.catch(() => undefined);
        await Promise.race([caughtUp(time.mono()), ended]);
        writer = await beginTerm(lease);
      }
      replica.confirm();
      const { onBus } = replica;
      const passing = engine.passing();
      const from = await publishMissing({ writer, store, position: replica.position, onBus, passing });
      const publishing = createPublishing(
        {
          writer,
          position: from,
          onOver: (error) => {
            if (!signal.aborted) tellOver(termOver(name, lease.term, error));
          },
        },
        () => time.mono(),
      );
      leading = { lease, publishing };
      void lease.lost.then(() => {
        if (!signal.aborted) tellOver(termOver(name, lease.term));
      });
      report({ type: 'leading', term: lease.term, seq: from.seq });
      await deps.lead(leading);
    } catch (error) {
      if (error instanceof BusError && error.code === 'BUS_FENCED') throw termOver(name, lease.term, error);
      throw error;
    }
  }

  /** What waits for a bus that does not answer would keep the engine from stopping. */
  async function closeIfSilent(stopped: AbortSignal): Promise<void> {
    await time.pause(deps.lastAppendMs, stopped);
    while (!stopped.aborted) {
      if (heldMs() > SECOND_MS || !bus.isConnected()) return bus.close();
      await time.pause(SECOND_MS, stopped);
    }
  }

  const heldMs = () => leading?.publishing.heldMs() ?? 0;

  async function beginTerm(lease: Lease) {
    await following?.stop();
    return shard.beginTerm(lease.term, replica.position.place);
  }

  const running = standBy().catch((error: unknown) => {
    if (signal.aborted) return;
    const known = knownAs(name, error);
    tellOver(beginning.is === 'new' && known.code === 'CLUSTER_DIVERGED' ? otherLog(deps, known) : known);
  });
  const telling = tell();

  return {
    over,
    state: member,
    heldMs,
    async stop() {
      const stopped = new AbortController();
      const limited = closeIfSilent(stopped.signal);
      stopping.abort();
      campaigning.abort();
      replica.abandonWrites();
      await following?.stop();
      await running;
      await (leading === undefined ? engine.stop() : deps.stopLeading());
      await replica.stop();
      await telling;
      await note();
      await leading?.lease.release();
      await bus
        .shared('members')
        .remove(deps.member)
        .catch(() => undefined);
      stopped.abort();
      await limited;
    },
  };
}

/** What the bus says of a stream that is gone, or that was made anew since this engine has joined. */
const LOST: readonly BusErrorCode[] = ['BUS_TAIL_LOST', 'BUS_OTHER_CLUSTER'];

function knownAs(shard: string, error: unknown): ServiceError {
  if (error instanceof BusError && LOST.includes(error.code)) {
    const message = `the bus has lost what this engine has seen there of the shard ${shard}; started again, it joins what is there now`;
    return new ServiceError('CLUSTER_BUS_LOST', message, { cause: error });
  }
  return error instanceof ServiceError
    ? error
    : new ServiceError('CLUSTER_FAILED', String(error), { cause: error });
}

/** Of a folder that comes from elsewhere, which is left as it is. */
function otherLog({ data, shard }: JoinDeps, cause: ServiceError): ServiceError {
  const message = `the log in the data folder ${data} is not that of the shard ${shard}; choose another with --data`;
  return new ServiceError('CLUSTER_OTHER_LOG', message, { cause });
}

function behind(cause: BusError, { position }: Replica): ServiceError {
  return new ServiceError(
    'CLUSTER_BEHIND',
    `the bus no longer has what follows seq ${position.seq}, with which this data folder ends: ` +
      'make a copy of the folder of the leading engine with `tallywire backup`, and start on that',
    { cause },
  );
}
