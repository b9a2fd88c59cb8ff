import { type Faults as BusFaults, NO_FAULTS } from '../support/bus/simulated-cluster.ts';
import type { ClusterFault, ClusterFaultKind, Who } from './cluster-plan.ts';
import type { ClusterStage } from './cluster-stage.ts';
import type { SimulatedMember } from './simulated-member.ts';

interface ClusterFaults {
  /** How often each kind happened. */
  readonly fired: ReadonlyMap<ClusterFaultKind, number>;
  /** How many have begun. */
  readonly begun: number;
  /** Virtual ms since which none has gone on; undefined while one does. */
  readonly quietSince: number | undefined;
  /** To be called before each event. */
  before(): void;
  begin(fault: ClusterFault): void;
  /** Ends everything that goes on, and starts every process that does not run. */
  endAll(): void;
}

type Aimed = Extract<ClusterFault, { readonly kind: 'kill_in_commit' }>;
type OnBus = Extract<ClusterFault, { readonly share: number }>;

/** Chances of each kind of trouble on the bus, for a share of 1. */
const ON_BUS: Readonly<Record<OnBus['kind'], Partial<BusFaults>>> = {
  lost_acks: { lostAnswer: 1, lostRequest: 0.3 },
  duplicates: { repeatedRequest: 1, repeatedDelivery: 1 },
  late_messages: { lateRequest: 1, lateDelivery: 0.3 },
  broken_deliveries: { skippedDelivery: 0.2, brokenDelivery: 0.2, silentDelivery: 0.05 },
};

/** All members have noticed a wiped bus after so long: a stream that seems short is believed to be so after 10 s. */
const WIPE_NOTICED_MS = 30_000;

/** Told that the leading engine is killed or paused, and since when there was no other fault. */
type OnLeaderGone = (leader: SimulatedMember, quietSince: number | undefined) => void;

interface Listeners {
  readonly onKill: () => void;
  /** Told right before the bus loses everything. */
  readonly onWipe: () => void;
  readonly onLeaderGone: OnLeaderGone;
}

/** Makes faults happen. */
export function createClusterFaults(
  stage: ClusterStage,
  { onKill, onWipe, onLeaderGone }: Listeners,
): ClusterFaults {
  const { kernel, bus, owners, world, network, engines, edges, members } = stage;
  const fired = new Map<ClusterFaultKind, number>();
  const fire = (kind: ClusterFaultKind) => fired.set(kind, (fired.get(kind) ?? 0) + 1);
  let aimed: Aimed[] = [];
  const onBus = new Set<OnBus>();
  let underWay = 0;
  let begun = 0;
  let quietSince: number | undefined = 0;
  /** What it was before the fault that begins. */
  let quietBefore: number | undefined;
  /** Counts the times that faults were ended: what was to end by itself before has ended already. */
  let ended = 0;

  function later(ms: number, act: () => void): void {
    const present = ended;
    underWay += 1;
    kernel.schedule(
      ms,
      () => {
        if (ended !== present) return;
        underWay -= 1;
        act();
        if (underWay === 0) quietSince = kernel.now();
      },
      owners.world,
    );
  }

  function memberOf(name: Who): SimulatedMember {
    const leader = stage.leader() ?? engines[0];
    switch (name) {
      case 'leader':
        return leader;
      case 'standby':
        return engines[0] === leader ? engines[1] : engines[0];
      case 'edge 1':
        return edges[0];
      case 'edge 2':
        return edges[1];
    }
  }

  function tellIfLeader(member: SimulatedMember): void {
    if (member === stage.leader()) onLeaderGone(member, quietBefore);
  }

  function kill(kind: ClusterFaultKind, member: SimulatedMember, downMs: number): void {
    if (member.life === undefined) return;
    fire(kind);
    tellIfLeader(member);
    member.kill();
    onKill();
    later(downMs, member.start);
  }

  function setBusFaults(): void {
    const sum: Record<string, number> = { ...NO_FAULTS };
    for (const { kind, share } of onBus)
      for (const [name, chance] of Object.entries(ON_BUS[kind]))
        sum[name] = Math.min(0.5, (sum[name] ?? 0) + chance * share);
    bus.setFaults(sum);
  }

  function begin(fault: ClusterFault): void {
    begun += 1;
    quietBefore = quietSince;
    happen(fault);
    // What lasts for no time is over.
    quietSince = underWay === 0 ? kernel.now() : undefined;
  }

  function happen(fault: ClusterFault): void {
    switch (fault.kind) {
      case 'kill':
        kill(fault.kind, memberOf(fault.who), fault.downMs);
        return;
      case 'kill_in_commit':
        aimed.push(fault);
        return;
      case 'stop':
        memberOf(fault.who).stop();
        break;
      case 'partition': {
        const member = memberOf(fault.who);
        member.cutOff(fault.how);
        later(fault.forMs, () => member.cutOff(undefined));
        break;
      }
      case 'pause': {
        const member = memberOf(fault.who);
        if (member.life === undefined) return;
        tellIfLeader(member);
        kernel.freeze(member.life, fault.forMs);
        later(fault.forMs, () => undefined);
        break;
      }
      case 'bus_down':
        bus.setDown(true);
        later(fault.forMs, () => bus.setDown(false));
        break;
      case 'wiped_bus':
        onWipe();
        bus.remove();
        later(WIPE_NOTICED_MS, () => undefined);
        break;
      case 'lost_acks':
      case 'duplicates':
      case 'late_messages':
      case 'broken_deliveries':
        onBus.add(fault);
        setBusFaults();
        later(fault.forMs, () => {
          onBus.delete(fault);
          setBusFaults();
        });
        break;
      case 'refused_writes': {
        const { folders } = memberOf(fault.who);
        folders.refuse(fault.why);
        later(fault.forMs, () => folders.refuse(undefined));
        break;
      }
      case 'slow_disk': {
        const { folders } = memberOf(fault.who);
        folders.slowDown(fault.commitMs);
        later(fault.forMs, () => folders.slowDown(0));
        break;
      }
      case 'cut_readers': {
        const { life } = memberOf(fault.who);
        if (life === undefined) return;
        for (const { client } of network.connectionsTo(life)) client.resetByPeer();
        break;
      }
      case 'late_post':
        world.control.post({ account: fault.account, createdAt: stage.trueNow() - fault.backMs });
    }
    fire(fault.kind);
  }

  return {
    fired,
    get begun() {
      return begun;
    },
    get quietSince() {
      return quietSince;
    },
    begin,
    before() {
      if (aimed.length === 0) return;
      const due = aimed.find(({ who, part }) => memberOf(who).folders.isWriting(part));
      if (due === undefined) return;
      aimed = aimed.filter((each) => each !== due);
      quietBefore = quietSince;
      quietSince = undefined;
      begun += 1;
      kill(due.kind, memberOf(due.who), due.downMs);
    },
    endAll() {
      ended += 1;
      underWay = 0;
      quietSince = kernel.now();
      aimed = [];
      onBus.clear();
      setBusFaults();
      bus.setDown(false);
      for (const member of members) {
        member.cutOff(undefined);
        member.folders.refuse(undefined);
        member.folders.slowDown(0);
        if (member.life !== undefined) kernel.freeze(member.life, 0);
        member.start();
      }
    },
  };
}
