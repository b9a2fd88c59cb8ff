import { parentPort, workerData } from 'node:worker_threads';
import { spedUp } from '../resilience/sped-up.ts';
import type { EmbeddedWorldOptions } from './embedded.ts';
import { heldCalendar, openWorld } from './world.ts';

const { seed, accounts, startAt, speed }: EmbeddedWorldOptions = workerData;
const calendar = heldCalendar();
const now = speed === 1 ? calendar : spedUp(calendar, startAt, speed);
const world = await openWorld({ seed, accounts, startAt, now, callersNow: calendar, speed });
parentPort?.postMessage(world.addresses);
