import type { KeptPayment } from '../../src/store/store.ts';
import type { Fault, FaultKind } from './plan.ts';
import type { OnKept } from './simulated-disk.ts';
import type { Stage } from './stage.ts';

interface Faults {
  /** How often each kind happened. */
  readonly fired: ReadonlyMap<FaultKind, number>;
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

/** Makes faults happen. */
export function createFaults(stage: Stage, onKill: () => void): Faults {
  const { kernel, disk, network, owners, workers, world } = stage;
  const fired = new Map<FaultKind, number>();
  const fire = (kind: FaultKind) => fired.set(kind, (fired.get(kind) ?? 0) + 1);
  let aimed: KillInCommit[] = [];
  let aimedAtPayments: KillAfterPayment[] = [];
  /** The one that is due before the next event. */
  let struck: KillAfterPayment | undefined;
  /** How far the calendar is ahead of the world's. */
  let steppedMs = 0;
  /** Counts the times that faults were ended: what was to end by itself before has ended already. */
  let ended = 0;

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

  function kill(kind: FaultKind, downMs: number): void {
    if (stage.life === undefined) return;
    fire(kind);
    stage.kill();
    onKill();
    later(downMs, stage.start);
  }

  function setCalendar(byMs: number): void {
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

  function begin(fault: Fault): void {
    switch (fault.kind) {
      case 'kill':
        kill(fault.kind, fault.downMs);
        return;
      case 'kill_in_commit':
        aimed.push(fault);
        return;
      case 'kill_after_payment':
        aimedAtPayments.push(fault);
        return;
      case 'troubled_facilitator':
        trouble(fault);
        break;
      case 'refused_writes':
        disk.refuse(fault.why);
        later(fault.forMs, () => disk.refuse(undefined));
        break;
      case 'slow_disk':
        disk.slowDown(fault.commitMs);
        later(fault.forMs, () => disk.slowDown(0));
        break;
      case 'stalled_readers':
        for (const { server } of readers()) {
          server.stall();
          later(fault.forMs, () => server.endStall());
        }
        break;
      case 'cut_readers':
        for (const { client } of readers()) client.resetByPeer();
        break;
      case 'dropped_socket':
        kernel.as(owners.world, () => world.control.dropSocket({ socket: fault.socket }));
        break;
      case 'silent_socket':
        world.control.freezeSocket({ socket: fault.socket, answersPings: fault.answersPings });
        later(fault.forMs, () => world.control.thawSocket({ socket: fault.socket }));
        break;
      case 'spoiled_answers': {
        const { role, how, times, status, retryAfter, delayMs } = fault;
        world.control.fault({
          role,
          kind: how,
          times,
          retryAfter,
          delayMs,
          ...(how === 'status' && { status }),
        });
        break;
      }
      case 'frozen_process':
        if (stage.life === undefined) return;
        kernel.freeze(stage.life, fault.forMs);
        break;
      case 'set_calendar':
        setCalendar(fault.byMs);
        later(fault.forMs, () => setCalendar(0));
        break;
      case 'failing_workers':
        workers.spoil(fault.how, fault.times);
        break;
      case 'late_post':
        world.control.post({ account: fault.account, createdAt: stage.trueNow() - fault.backMs });
    }
    fire(fault.kind);
  }

  return {
    fired,
    begin,
    onKept(part, method, [written]) {
      if (part !== 'payments' || (method !== 'put' && method !== 'reserve')) return;
      // What reserves and puts is a payment.
      const { state } = written as KeptPayment;
      struck ??= aimedAtPayments.find((each) => each.state === state);
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
      ended += 1;
      aimed = [];
      aimedAtPayments = [];
      world.control.steerFacilitator({});
      disk.refuse(undefined);
      disk.slowDown(0);
      setCalendar(0);
      workers.endSpoiling();
      if (stage.life !== undefined) kernel.freeze(stage.life, 0);
      for (const { server } of readers()) server.endStall();
      for (const socket of ['book', 'crypto'] as const) world.control.thawSocket({ socket });
      world.control.clearFaults();
      stage.start();
    },
  };
}
