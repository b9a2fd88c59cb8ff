import { parentPort, workerData } from 'node:worker_threads';
import type { EmbeddedWorldOptions } from './embedded.ts';
import { openWorld } from './world.ts';

const { seed, startAt }: EmbeddedWorldOptions = workerData;
const world = await openWorld({ seed, startAt, now: Date.now });
parentPort?.postMessage(world.addresses);
