import { parentPort, workerData } from 'node:worker_threads';
import type { EmbeddedWorldOptions } from './embedded.ts';
import { heldCalendar, openWorld } from './world.ts';

const { seed, startAt }: EmbeddedWorldOptions = workerData;
const world = await openWorld({ seed, startAt, now: heldCalendar() });
parentPort?.postMessage(world.addresses);
