import { appendFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { verify } from '../../src/research/verify.ts';
import { openService } from '../../src/service/service.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { readMeta } from '../support/api.ts';
import { deliverToParent, sendToParent } from '../support/child.ts';
import { eventually } from '../support/eventually.ts';
import { type Ended, type Life, logOf, type Refused } from './damage-life.ts';

// Lives of the service, one after another, each on a folder of its own: it starts, is asked about the past, stops, and
// what the folder then holds is read back. Damage may end this process at any point.

/** Written at once, as by a service: the next row may end this process. */
function logTo(path: string) {
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      appendFileSync(path, line);
      done();
    },
  });
  return pino({ level: 'error' }, lines);
}

async function ask(url: string, path: string) {
  const response = await fetch(`${url}${path}`, { headers: { 'X-API-Key': 'demo_internal' } });
  const { status } = response;
  const body = (await response.json()) as { data?: unknown; code?: unknown };
  return { path, status, text: JSON.stringify(status === 200 ? body.data : body.code) };
}

/** Whether something is counted, so that there is something to damage. */
async function isCounting(url: string): Promise<boolean> {
  const { data } = await readMeta(url, 'account_a');
  return data.some(({ real_counter }) => real_counter !== null);
}

async function live(life: Life): Promise<Ended> {
  const { data, wallAt, speed, countsFirst, runMs, asks, paymentIds } = life;
  const startedAt = performance.now();
  const clock = {
    wall: () => Math.round(wallAt + (performance.now() - startedAt) * speed),
    mono: () => performance.now(),
  };
  const flags = { port: '0', data, historyDays: '3', checkpointSeconds: '1' };
  const service = await openService(parseConfig({ flags, env: {} }), logTo(logOf(data)), { clock });
  const answers = [];
  try {
    sendToParent({ is: 'up' });
    if (countsFirst) await eventually('an event is counted', () => isCounting(service.url));
    await delay(runMs);
    for (const path of asks) answers.push(await ask(service.url, path));
    const health = (await (await fetch(`${service.url}/api/v1/health`)).json()) as { status: string };
    answers.push({ path: 'health', status: 200, text: health.status });
  } finally {
    await service.stop();
  }
  sendToParent({ is: 'stopped' });
  const store = await openStore(data, { readOnly: true });
  try {
    const ended: Ended = {
      is: 'ended',
      answers,
      difference: null,
      fromAt: firstAt(store.journal.read(store.journal.tail)),
      keys: store.keys.all().map((key) => JSON.stringify(key)),
      places: Array.from(store.waitlist.list(), (place) => JSON.stringify(place)),
      payments: paymentIds.flatMap((id) => JSON.stringify(store.payments.find(id)) ?? []),
      wallAt: clock.wall(),
    };
    // Told before what nobody has read yet is read: that may end this process.
    await deliverToParent({ ...ended, is: 'lived' });
    return { ...ended, difference: await differenceIn(store) };
  } finally {
    await store.close();
  }
}

/** Damage that nobody has read yet is refused by whoever does: no number comes of it. */
async function differenceIn(store: Store): Promise<string | null> {
  try {
    const { difference } = await verify(store, { simulations: 0 });
    return difference && JSON.stringify(difference).slice(0, 300);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'STORE_CORRUPT') return null;
    throw error;
  }
}

function firstAt(log: Iterable<{ readonly receivedAt: number }>): number {
  for (const { receivedAt } of log) return receivedAt;
  return 0;
}

function refused(error: unknown): Refused {
  const code = error instanceof ServiceError ? error.code : 'none';
  return { is: 'refused', code, message: error instanceof Error ? error.message : String(error) };
}

process.on('message', (life: Life) => {
  void live(life).catch(refused).then(sendToParent);
});
process.on('disconnect', () => process.exit(0));
