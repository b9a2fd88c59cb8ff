import { recover } from '../../src/engine/recover.ts';
import { ServiceError } from '../../src/errors.ts';
import { verify } from '../../src/research/verify.ts';
import { openStartingStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { deliverToParent } from '../support/child.ts';
import { keptIn, placeRow } from './crash-rows.ts';
import type { Found, Look, StartEnd } from './crash-start.ts';

// Starts on data folders, one after another: opens the store as a service does, reads all of it, and goes on writing. A
// folder may end this process at any point.

async function differenceOf(store: Store): Promise<string | null> {
  const { difference } = await verify(store, { simulations: 0 });
  return difference && JSON.stringify(difference).slice(0, 300);
}

async function goOn(store: Store): Promise<string | null> {
  await recover(store, createLatest(store.outputs));
  const entry = {
    type: 'human',
    useCase: 'watch',
    name: null,
    wallet: null,
    email: 'after@example.test',
  } as const;
  const { position } = await store.waitlist.claim(entry, Date.now());
  const places = Array.from(store.waitlist.list(), (place) => placeRow(place.position, place.email));
  if (places.at(-1) !== placeRow(position, entry.email)) return `the place ${position} is not the last`;
  return differenceOf(store);
}

async function start({ data, paymentIds }: Look): Promise<Found> {
  const told: string[] = [];
  const lock = await lockFolder(data);
  try {
    const { store, finished } = await openStartingStore(data, {
      reserveBytes: 0,
      tell: ({ level, message, details }) => {
        if (level === 'error') told.push(`${message} ${JSON.stringify(details)}`);
      },
    });
    try {
      const kept = keptIn(store, paymentIds);
      const difference = await differenceOf(store);
      return { is: 'found', kept, difference, differenceAfter: await goOn(store), told };
    } finally {
      await store.close();
      finished();
    }
  } finally {
    await lock.release();
  }
}

function refused(error: unknown): StartEnd {
  const code = error instanceof ServiceError ? `${error.code}: ` : '';
  return { is: 'refused', how: code + (error instanceof Error ? error.message : String(error)) };
}

// A commit alone does not keep a process alive; the channel to the parent does.
process.on('message', (look: Look) => {
  void start(look).catch(refused).then(deliverToParent);
});
process.on('disconnect', () => process.exit(0));
