import type { KeptPayment, Store } from '../../src/store/store.ts';
import type { FaultRule } from '../../src/world/control/faults.ts';
import type { DeletedPost } from './noticed-deletions.ts';
import type { AnswerFault, Fault, FaultKind } from './plan.ts';
import type { OnKept } from './simulated-disk.ts';
import type { Stage } from './stage.ts';
import type { Storm } from './storm.ts';

interface Faults {
  /** How often each kind happened. */
  readonly fired: ReadonlyMap<FaultKind, number>;
  /** Whether a post that a fault has made was deleted; undefined for others. */
  isDeleted(id: string): boolean | undefined;
  /** The posts that faults have made and deleted. */
  readonly deleted: readonly DeletedPost[];
  /** To be called before each event. */
  before(): void;
  begin(fault: Fault): void;
  /** To be called with each write that is kept. */
  readonly onKept: OnKept;
  /** Ends everything that goes on, and starts the engine if there is none. */
  endAll(): void;
}

type KillInCommit = Extract<Fault, { readonly kind: 'kill_in_commit' }>;
type KillAfterPayment = Extract<Fault, { readonly kind: 'kill_after_payment' }>;
type TroubledFacilitator = Extract<Fault, { readonly kind: 'troubled_facilitator' }>;

/** How the stand-in world calls the ways to spoil an answer. */
const WORLD_KINDS: Readonly<Record<AnswerFault['kind'], FaultRule['kind']>> = {
  no_answer: 'hang',
  slow_answer: 'slow',
  refused_connection: 'refuse',
  reset_in_body: 'reset',
  dripping_body: 'drip',
  error_status: 'status',
  block_of_error_statuses: 'status',
  too_many_requests: 'status',
  html_answer: 'html',
  half_answer: 'truncated',
  wrong_types: 'wrong-types',
  odd_element: 'odd-element',
  future_post: 'future-post',
  long_id: 'long-id',
  future_time: 'future-time',
  huge_answer: 'huge',
  short_page: 'short',
  empty_page: 'empty',
  old_answer: 'old',
  nonsense_prices: 'odd-prices',
};
const HUGE_BYTES = 50_000_000;
const WORKER_FAULTS = { silent_worker: 'silent', late_worker: 'late', crashing_worker: 'crash' } as const;

interface FaultDeps {
  readonly storm: Storm;
  /** Told of each kill, after it. */
  readonly onKill: () => void;
}

/** Makes faults happen. */
export function createFaults(stage: Stage, { storm, onKill }: FaultDeps): Faults {
  const { kernel, disk, network, owners, workers, world } = stage;
  const { control } = world;
  const fired = new Map<FaultKind, number>();
  const fire = (kind: FaultKind) => fired.set(kind, (fired.get(kind) ?? 0) + 1);
  /** Whether each post that was made here is deleted. */
  const posts = new Map<string, boolean>();
  const deleted: DeletedPost[] = [];
  let aimed: KillInCommit[] = [];
  let aimedAtPayments: KillAfterPayment[] = [];
  /** The one that is due before the next event. */
  let struck: KillAfterPayment | undefined;
  /** How far the calendar is ahead of the world's. */
  let steppedMs = 0;
  /** Counts the times that faults were ended: what was to end by itself before has ended already. */
  let ended = 0;
  /** Puts back what was changed in the world. */
  const changed = new Set<() => void>();

  function later(ms: number, act: () => void): void {
    const present = ended;
    kernel.schedule(
      ms,
      () => {
        if (ended === present) act();
      },
      owners.world,
    );
  }

  /** Changes the world for a while. */
  function change(forMs: number, act: () => void, putBack: () => void): void {
    act();
    const end = () => {
      if (changed.delete(end)) putBack();
    };
    changed.add(end);
    later(forMs, end);
  }

  function kill(kind: FaultKind, downMs: number): void {
    if (stage.life === undefined) return;
    fire(kind);
    stage.kill();
    onKill();
    later(downMs, stage.start);
  }

  function setCalendar(byMs: number): void {
    if (byMs === steppedMs) return;
    stage.stepCalendar(byMs - steppedMs);
    steppedMs = byMs;
  }

  function trouble({ role, how, times, status, delayMs }: TroubledFacilitator): void {
    switch (how) {
      case 'invalid':
        world.control.steerFacilitator({ verify: how, times });
        return;
      case 'refuse':
      case 'busy':
      case 'pending':
      case 'no-hash':
      case 'lose':
      case 'cancelled':
        world.control.steerFacilitator({ settle: how, times });
        return;
      default:
        world.control.fault({ role, kind: how, times, delayMs, ...(how === 'status' && { status }) });
    }
  }

  const readers = () => (stage.life === undefined ? [] : network.connectionsTo(stage.life));

  function spoil(fault: AnswerFault): void {
    const { kind, role, times, status, retryAfter, retryDateMs, delayMs } = fault;
    const date = retryDateMs === null ? null : new Date(stage.trueNow() + retryDateMs).toUTCString();
    const how = WORLD_KINDS[kind];
    control.fault({
      role,
      kind: how,
      times,
      retryAfter: retryAfter ?? date,
      delayMs,
      bytes: HUGE_BYTES,
      ...(how === 'status' && { status }),
    });
  }

  function post(account: string, createdAt: number, kind: 'original' | 'reply' = 'original'): string {
    const { id } = control.post({ account, createdAt, kind });
    posts.set(id, false);
    return id;
  }

  /** An event about posts whose window is open by what the engine knows; undefined when it knows none. */
  function openEvent(share: number): WindowedEvent | undefined {
    const open = windowsIn(disk.kept).filter(({ phase }) => phase === 'active');
    return open[Math.floor(share * open.length)];
  }

  function postAtEdge({ share, edge, byMs }: Extract<Fault, { readonly kind: 'post_at_edge' }>): boolean {
    const now = stage.trueNow();
    const known = windowsIn(disk.kept).filter((each) => edgeOf(each, edge) + byMs <= now);
    // Of the past ones those that ended last: what came before concerns nobody.
    const latest = known.sort((a, b) => edgeOf(b, edge) - edgeOf(a, edge)).slice(0, 6);
    const event = latest[Math.floor(share * latest.length)];
    if (event === undefined) return false;
    post(event.account, edgeOf(event, edge) + byMs);
    return true;
  }

  function setTotal(fault: Extract<Fault, { readonly kind: 'oracle_back' | 'oracle_jump' }>): boolean {
    const event = openEvent(fault.share);
    const counters = event && disk.kept.outputs.get('counters', String(event.eventId));
    const total = counters?.stream === 'counters' ? counters.record.oracle : null;
    if (event === undefined || total === null) return false;
    const next = Math.max(0, fault.kind === 'oracle_back' ? total - fault.by : total + fault.by);
    change(
      fault.forMs,
      () => control.setOracleTotal({ event: event.eventId, total: next }),
      () => control.setOracleTotal({ event: event.eventId, total: null }),
    );
    return true;
  }

  /** Changes an open event for a while. */
  function changeEvent(
    { share, forMs }: { readonly share: number; readonly forMs: number },
    act: (event: WindowedEvent) => void,
    putBack: (event: number) => void,
  ): boolean {
    const event = openEvent(share);
    if (event === undefined) return false;
    change(
      forMs,
      () => act(event),
      () => putBack(event.eventId),
    );
    return true;
  }

  /** False where there is nothing that it could happen to. */
  function apply(
    fault: Exclude<Fault, { readonly kind: 'kill' | 'kill_in_commit' | 'kill_after_payment' }>,
  ): boolean {
    switch (fault.kind) {
      case 'troubled_facilitator':
        trouble(fault);
        return true;
      case 'failing_positions':
        control.fault({ role: 'positions', kind: fault.how, times: fault.times, delayMs: 8_000 });
        return true;
      case 'late_post':
        post(fault.account, stage.trueNow() - fault.backMs);
        return true;
      case 'post_at_edge':
        return postAtEdge(fault);
      case 'deleted_post': {
        const id = post(fault.account, stage.trueNow());
        const createdAt = kernel.now();
        later(fault.afterMs, () => {
          control.deletePost({ id });
          posts.set(id, true);
          deleted.push({ id, createdAt, deletedAt: kernel.now() });
        });
        return true;
      }
      case 'edited_post': {
        const id = post(fault.account, stage.trueNow());
        later(fault.afterMs, () => void control.editPost({ id, text: 'an edited text' }));
        return true;
      }
      case 'changed_flag': {
        const id = post(fault.account, stage.trueNow(), fault.from);
        later(fault.afterMs, () => control.changeKind({ id, kind: fault.to }));
        return true;
      }
      case 'oracle_back':
      case 'oracle_jump':
        return setTotal(fault);
      case 'frozen_oracle': {
        const { account } = fault;
        change(
          fault.forMs,
          () => control.stallOracle({ account }),
          () => control.resumeOracle({ account }),
        );
        return true;
      }
      case 'changed_buckets': {
        const { bucketWidth, bucketCount } = fault;
        return changeEvent(
          fault,
          ({ eventId }) => control.setBuckets({ event: eventId, bucketWidth, bucketCount }),
          (event) => control.setBuckets({ event }),
        );
      }
      case 'moved_window':
        return changeEvent(
          fault,
          ({ eventId, startAt, endAt }) => {
            const from = startAt + fault.startByMs;
            control.moveWindow({
              event: eventId,
              startAt: from,
              endAt: Math.max(from + 60_000, endAt + fault.endByMs),
            });
          },
          (event) => control.moveWindow({ event }),
        );
      case 'closed_event':
        return changeEvent(
          fault,
          ({ eventId }) => control.closeEvent({ event: eventId }),
          (event) => control.reopenEvent({ event }),
        );
      case 'dropped_socket':
        kernel.as(owners.world, () => control.dropSocket({ socket: fault.socket }));
        return true;
      case 'silent_socket': {
        const { socket, answersPings } = fault;
        change(
          fault.forMs,
          () => control.freezeSocket({ socket, answersPings }),
          () => control.thawSocket({ socket }),
        );
        return true;
      }
      case 'refused_handshake': {
        const { role, how, times, status, retryAfter, delayMs } = fault;
        control.fault({ role, kind: how, times, status, retryAfter, delayMs });
        return true;
      }
      case 'garbage_frame':
        kernel.as(owners.world, () => control.sendFrame({ socket: fault.socket, text: fault.text }));
        return true;
      case 'set_calendar':
        setCalendar(fault.byMs);
        later(fault.forMs, () => setCalendar(0));
        return true;
      case 'frozen_process':
        if (stage.life === undefined) return false;
        kernel.freeze(stage.life, fault.forMs);
        return true;
      case 'full_disk':
      case 'failing_disk':
        disk.refuse(fault.kind === 'full_disk' ? 'STORE_FULL' : 'STORE_WRITE');
        later(fault.forMs, () => disk.refuse(undefined));
        return true;
      case 'slow_disk':
        disk.slowDown(fault.commitMs);
        later(fault.forMs, () => disk.slowDown(0));
        return true;
      case 'restart_on_refusing_disk':
        if (stage.life === undefined) return false;
        disk.refuse(fault.why);
        later(fault.forMs, () => disk.refuse(undefined));
        stage.kill();
        onKill();
        later(fault.downMs, stage.start);
        return true;
      case 'silent_worker':
      case 'late_worker':
      case 'crashing_worker':
        workers.spoil(WORKER_FAULTS[fault.kind], fault.times);
        return true;
      case 'cut_readers':
        for (const { server } of readers()) server.cutAfter(fault.bytes);
        return readers().length > 0;
      case 'storm_of_readers':
        storm.begin(fault.readers);
        later(fault.forMs, storm.end);
        return true;
      case 'stalled_readers':
        for (const { server } of readers()) {
          server.stall();
          later(fault.forMs, () => server.endStall());
        }
        return readers().length > 0;
      default:
        spoil(fault);
        return true;
    }
  }

  return {
    fired,
    onKept(part, method, [written]) {
      if (part !== 'payments' || (method !== 'put' && method !== 'reserve')) return;
      // What reserves and puts is a payment.
      const { state } = written as KeptPayment;
      struck ??= aimedAtPayments.find((each) => each.state === state);
    },
    isDeleted: (id) => posts.get(id),
    deleted,
    begin(fault) {
      if (fault.kind === 'kill') kill(fault.kind, fault.downMs);
      else if (fault.kind === 'kill_in_commit') aimed.push(fault);
      else if (fault.kind === 'kill_after_payment') aimedAtPayments.push(fault);
      else if (apply(fault)) fire(fault.kind);
    },
    before() {
      if (struck !== undefined) {
        const { kind, downMs } = struck;
        aimedAtPayments = aimedAtPayments.filter((each) => each !== struck);
        struck = undefined;
        kill(kind, downMs);
      }
      const due = aimed.find(({ part }) => disk.isWriting(part));
      if (due === undefined || stage.life === undefined) return;
      aimed = aimed.filter((each) => each !== due);
      kill(due.kind, due.downMs);
    },
    endAll() {
      kernel.as(owners.world, () => {
        for (const putBack of changed) putBack();
        control.clearFaults();
      });
      ended += 1;
      aimed = [];
      aimedAtPayments = [];
      world.control.steerFacilitator({});
      disk.refuse(undefined);
      disk.slowDown(0);
      setCalendar(0);
      workers.endSpoiling();
      storm.end();
      if (stage.life !== undefined) kernel.freeze(stage.life, 0);
      for (const { server } of readers()) server.endStall();
      stage.start();
    },
  };
}

interface WindowedEvent {
  readonly eventId: number;
  readonly account: string;
  readonly phase: string;
  readonly startAt: number;
  readonly endAt: number;
}

/** The events about posts that a store knows the windows of, by their numbers. */
function windowsIn(kept: Store): readonly WindowedEvent[] {
  return kept.outputs
    .latest('events')
    .flatMap((output) => {
      if (output.stream !== 'events' || output.record.subject.type !== 'posts') return [];
      const { eventId, subject, phase, startAt, endAt } = output.record;
      return startAt === null ? [] : [{ eventId, account: subject.account, phase, startAt, endAt }];
    })
    .sort((a, b) => a.eventId - b.eventId);
}

function edgeOf({ startAt, endAt }: WindowedEvent, edge: 'start' | 'end'): number {
  return edge === 'start' ? startAt : endAt;
}
