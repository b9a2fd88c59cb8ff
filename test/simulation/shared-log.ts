import { createAssembly } from '../../src/bus/parts.ts';
import { EMPTY_DIGEST, nextDigest } from '../../src/cluster/entries/chain.ts';
import { decodeLogEntry } from '../../src/cluster/entries/log-entry.ts';
import type { Store } from '../../src/store/store.ts';
import type { SimulatedCluster } from '../support/bus/simulated-cluster.ts';
import type { ClusterViolations } from './cluster-invariants.ts';

interface SharedLog {
  /** The last observation on the bus. */
  readonly head: number;
  /** Compares what is new on the bus with what was there, and each log with that of the bus, as far as both go. */
  check(logs: ReadonlyMap<string, Pick<Store, 'journal'>>): void;
  /** The bus is about to lose everything, and each log goes so far. A log may differ until `onMended`. */
  onWipe(heads: readonly number[]): void;
  /** From now on all logs have to be one again. */
  onMended(): void;
  /** Looks whether a log has everything that the bus has acknowledged. */
  checkWhole(name: string, log: Pick<Store, 'journal'>, upTo: number): void;
}

type Assembly = ReturnType<typeof createAssembly>;

interface SharedLogDeps {
  readonly bus: SimulatedCluster;
  readonly stream: string;
  readonly violations: ClusterViolations;
}

/** The log as the bus has it: every entry that was ever acknowledged, also what is no longer kept there. */
export function createSharedLog({ bus, stream, violations: { check } }: SharedLogDeps): SharedLog {
  /** The digest up to each observation, by seq. */
  const digests = [EMPTY_DIGEST];
  let assemble: Assembly | undefined;
  let read = 0;
  let term = 0;
  /** The digest that the last entry of this epoch says; undefined before the first one on a bus that was wiped. */
  let stated: string | undefined = EMPTY_DIGEST;
  /** What every engine had when the bus was wiped. The next leader begins with the end of its log, so with some of that. */
  let repeatedUpTo = 0;
  let isWiped = false;

  /** How far each log was found to be that of the bus. */
  const compared = new Map<string, { readonly journal: Store['journal']; seq: number; digest: string }>();

  /** The entry that a message completes. */
  function entryOf(take: Assembly, message: Parameters<Assembly>[0]): ReturnType<Assembly> {
    try {
      return take(message);
    } catch (error) {
      check(21, false, () => `what is on the bus cannot be read: ${error}`);
      return undefined;
    }
  }

  function readBus(): void {
    const { history } = bus.find(stream) ?? { history: [] };
    for (; read < history.length; read++) {
      const message = history[read];
      if (message === undefined) return;
      const [epoch = '', written = '0'] = message.id.split(':');
      check(20, Number(written) >= term, () => `term ${written} wrote at ${message.place}, after ${term}`);
      term = Number(written);
      assemble ??= createAssembly(epoch);
      const entry = entryOf(assemble, message);
      if (entry?.subject !== 'log') continue;
      const { digest, observations } = decodeLogEntry(entry.body);
      for (const observation of observations) {
        const before = digests[observation.seq - 1];
        const known = digests[observation.seq];
        const digest = before === undefined ? undefined : nextDigest(before, observation);
        const isAgain = observation.seq <= repeatedUpTo;
        if (isAgain) {
          const least = repeatedUpTo;
          check(5, digest === known, () => `all engines had ${least}, and ${observation.seq} is another now`);
        } else repeatedUpTo = 0;
        check(
          21,
          digest !== undefined && (isAgain || known === undefined),
          () => `observation ${observation.seq} comes at place ${entry.place}, after ${digests.length - 1}`,
        );
        if (digest !== undefined) digests[observation.seq] = digest;
      }
      // A log begins with a digest of its last observations on a bus that was wiped.
      const expected = stated === undefined ? digest : observations.reduce(nextDigest, stated);
      check(21, expected === digest, () => `the entry at place ${entry.place} has another digest`);
      stated = digest;
    }
  }

  return {
    get head() {
      return digests.length - 1;
    },
    onWipe(heads) {
      readBus();
      repeatedUpTo = Math.min(...heads);
      digests.length = Math.min(digests.length, repeatedUpTo + 1);
      isWiped = true;
      read = 0;
      term = 0;
      stated = undefined;
      assemble = undefined;
      compared.clear();
    },
    onMended() {
      isWiped = false;
    },
    check(logs) {
      readBus();
      if (isWiped) return;
      for (const [name, { journal }] of logs) {
        const known = compared.get(name);
        const own = known?.journal === journal ? known : { journal, seq: 0, digest: EMPTY_DIGEST };
        compared.set(name, own);
        for (const observation of journal.head > own.seq ? journal.read(own.seq + 1) : []) {
          own.digest = nextDigest(own.digest, observation);
          own.seq = observation.seq;
          const there = digests[observation.seq];
          check(
            21,
            there === own.digest,
            () => `${name} has another observation ${observation.seq} than the bus`,
          );
          if (there !== own.digest) return;
        }
      }
    },
    checkWhole(name, { journal }, upTo) {
      check(5, journal.head >= upTo, () => `the bus has ${upTo}, and ${name} ends at ${journal.head}`);
    },
  };
}
