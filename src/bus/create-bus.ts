import { setMaxListeners } from 'node:events';
import type { Bus, Shard } from './bus.ts';
import { BusError, closedError, isUnreachable } from './bus-error.ts';
import { SNAPSHOTS_STREAM, shardStreamName, VALUES_STREAM } from './bus-streams.ts';
import { createCommands } from './commands.ts';
import { createLeases } from './leases.ts';
import { quietReport } from './quiet-report.ts';
import { createShard } from './shard.ts';
import { createSharedValues } from './shared-values.ts';
import { createSnapshots } from './snapshots.ts';
import type { Time } from './time.ts';
import type { Stream, StreamSpec, Transport } from './transport.ts';
import { createValues } from './values.ts';

const EPOCH_KEY = 'epoch';
const TAIL_LOST_AFTER_MS = 10_000;
/** A cluster of servers that has just started answers nothing until it has found itself. */
const OPEN_WITHIN_MS = 30_000;
const OPEN_RETRY_MS = 200;

interface BusOptions {
  readonly transport: Transport;
  readonly time: Time;
  /** A name that no two calls ever give: letters and digits. */
  readonly newId: () => string;
  /** Whether this process may begin a cluster and make streams. */
  readonly isEngine: boolean;
  /** Trouble that is tried again; for the log of the process. */
  readonly report: (error: unknown) => void;
  /** How long a stream may seem shorter than it was before that is believed. */
  readonly tailLostAfterMs?: number;
}

/** The bus on a connection, which it owns from now on: if this fails the connection is closed. */
export async function createBus(options: BusOptions): Promise<Bus> {
  try {
    return await openBus(options);
  } catch (error) {
    await options.transport.close();
    throw error;
  }
}

async function openBus(options: BusOptions): Promise<Bus> {
  const { transport, time, newId, isEngine, tailLostAfterMs = TAIL_LOST_AFTER_MS } = options;
  const report = quietReport(() => time.mono(), options.report);
  const { largestBody, requests } = transport;
  const closing = new AbortController();
  const { signal } = closing;
  // Everything that waits listens to it.
  setMaxListeners(0, signal);
  const base = { time, signal, report, tailLostAfterMs };

  const openStream = async (spec: StreamSpec): Promise<Stream> => {
    const until = time.mono() + OPEN_WITHIN_MS;
    for (;;) {
      try {
        const stream = await transport.openStream(spec);
        if (stream !== undefined) return stream;
        throw new BusError('BUS_EMPTY', `no engine has made the stream ${spec.name} on this bus yet`);
      } catch (error) {
        if (!isUnreachable(error) || time.mono() >= until) throw error;
        report(error);
        await time.pause(OPEN_RETRY_MS, signal);
      }
    }
  };

  const valuesStream = await openStream({ name: VALUES_STREAM, kind: 'values', cluster: undefined });
  const values = createValues({ ...base, stream: valuesStream });
  const epoch = await values.retry(async () => {
    const there = await values.get(EPOCH_KEY);
    if (there !== undefined) return Buffer.from(there.bytes).toString();
    if (!isEngine) throw new BusError('BUS_EMPTY', 'no engine has begun a cluster on this bus yet');
    const made = newId();
    // Of two engines that begin at once one is refused, and reads what the other one made.
    const isOurs = (await values.replace(EPOCH_KEY, Buffer.from(made), 0)) !== undefined;
    const winner = isOurs ? undefined : await values.get(EPOCH_KEY);
    return winner === undefined ? made : Buffer.from(winner.bytes).toString();
  });
  const checkEpoch = async (): Promise<void> => {
    const there = await values.get(EPOCH_KEY);
    if (there === undefined) throw new BusError('BUS_UNREACHABLE', 'the bus is being made anew');
    const present = Buffer.from(there.bytes).toString();
    if (present !== epoch)
      throw new BusError(
        'BUS_OTHER_CLUSTER',
        `the bus has epoch ${present}, and this process belongs to ${epoch}`,
      );
  };
  const snapshotStream = await openStream({ name: SNAPSHOTS_STREAM, kind: 'values', cluster: epoch });
  const shards = new Map<string, Promise<Shard>>();

  const openShard = async (name: string): Promise<Shard> => {
    const stream = await openStream({ name: shardStreamName(name), kind: 'log', cluster: epoch });
    return createShard({ ...base, epoch, stream, largestBody });
  };

  return {
    epoch,
    leases: createLeases({ ...base, values, checkEpoch }),
    snapshots: createSnapshots({
      stream: snapshotStream,
      values: createValues({ ...base, stream: snapshotStream }),
      largestBody,
      newId,
    }),
    commands: createCommands({ ...base, requests }),
    shared: (area) => createSharedValues(values, area),
    shard(name) {
      if (signal.aborted) return Promise.reject(closedError());
      const opened = shards.get(name) ?? openShard(name);
      shards.set(name, opened);
      // One that was not there may come later.
      opened.catch(() => shards.delete(name));
      return opened;
    },
    server: () => transport.facts(),
    isConnected: () => transport.isConnected(),
    async close() {
      closing.abort();
      await transport.close();
    },
  };
}
