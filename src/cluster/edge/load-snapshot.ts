import type { Output } from '../../../streams/internal.ts';
import { BusError } from '../../bus/bus-error.ts';
import type { FeedPack, Store } from '../../store/store.ts';
import { decodeSnapshot, type SnapshotHead } from '../entries/snapshot-format.ts';
import { rememberPlace } from './cache-notes.ts';

interface Snapshot {
  readonly place: number;
  readonly bytes: Uint8Array;
}

/** Packs of the feed that are stored together. */
const PACKS_PER_WRITE = 256;

/** Fills an empty store. Until this is over the store has no place, and is worth nothing. */
export async function loadSnapshot(store: Store, { place, bytes }: Snapshot, epoch: string): Promise<void> {
  const { outputs, feed } = store;
  let head: SnapshotHead | undefined;
  let passing: readonly string[] = [];
  let packs: FeedPack[] = [];
  const addPacks = async () => {
    if (packs.length > 0) await feed.addPacks(packs);
    packs = [];
  };
  for (const part of decodeSnapshot(bytes)) {
    if (part.type === 'head') {
      if (part.epoch !== epoch) {
        throw new BusError('BUS_OTHER_CLUSTER', 'the newest snapshot on the bus belongs to another cluster');
      }
      head = part;
      continue;
    }
    if (head === undefined) throw new BusError('BUS_DAMAGED', 'a snapshot on the bus has no head');
    switch (part.type) {
      case 'kept': {
        // Each is the JSON of an output, as an engine had stored it.
        const kept = part.outputs.map((text) => JSON.parse(text) as Output);
        await outputs.append(kept, kept.at(-1)?.seq ?? outputs.upTo);
        break;
      }
      case 'passing':
        passing = part.outputs;
        break;
      case 'topics':
        await feed.append({ epoch, upTo: head.feedUpTo, rows: [], topics: part.topics });
        break;
      case 'rows':
        await feed.append({ epoch, upTo: head.feedUpTo, rows: part.rows, topics: [] });
        break;
      case 'pack':
        packs.push(part);
        if (packs.length >= PACKS_PER_WRITE) await addPacks();
        break;
    }
  }
  if (head === undefined) throw new BusError('BUS_DAMAGED', 'a snapshot on the bus has no head');
  await addPacks();
  await outputs.append([], head.outputsUpTo);
  await rememberPlace(store.notes, { epoch, place }, passing);
}
