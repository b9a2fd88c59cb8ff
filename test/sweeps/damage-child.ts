import { Writable } from 'node:stream';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { ServiceError } from '../../src/errors.ts';
import { verify } from '../../src/research/verify.ts';
import { openService } from '../../src/service/service.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../support/child.ts';
import type { Ended, Life, Refused } from './damage-life.ts';

// One life of the service on a folder: it starts, is asked about the past, stops, and what the folder then holds is read
// back. Damage may end this process at any point.

const [text = ''] = process.argv.slice(2);
// Made by damage-life.ts.
const { data, wallAt, speed, runMs, asks, paymentIds } = JSON.parse(text) as Life;

const told: string[] = [];
const log = pino(
  { level: 'error' },
  new Writable({
    write(line: Buffer, _encoding, done) {
      told.push(line.toString());
      done();
    },
  }),
);
const startedAt = performance.now();
const clock = {
  wall: () => Math.round(wallAt + (performance.now() - startedAt) * speed),
  mono: () => performance.now(),
};

async function ask(url: string, path: string) {
  const response = await fetch(`${url}${path}`, { headers: { 'X-API-Key': 'demo_internal' } });
  const { status } = response;
  const body = (await response.json()) as { data?: unknown; code?: unknown };
  return { path, status, text: JSON.stringify(status === 200 ? body.data : body.code) };
}

async function live(): Promise<Ended> {
  const flags = { port: '0', data, historyDays: '1', checkpointSeconds: '1' };
  const service = await openService(parseConfig({ flags, env: {} }), log, { clock });
  const answers = [];
  try {
    sendToParent({ is: 'up' });
    await new Promise((resolve) => setTimeout(resolve, runMs));
    for (const path of asks) answers.push(await ask(service.url, path));
    const health = (await (await fetch(`${service.url}/api/v1/health`)).json()) as { status: string };
    answers.push({ path: 'health', status: 200, text: health.status });
  } finally {
    await service.stop();
  }
  const store = await openStore(data, { readOnly: true });
  try {
    const { difference } = await verify(store, { simulations: 5 });
    return {
      is: 'ended',
      answers,
      difference: difference && JSON.stringify(difference).slice(0, 300),
      fromAt: firstAt(store.journal.read(store.journal.tail)),
      keys: store.keys.all().map((key) => JSON.stringify(key)),
      places: Array.from(store.waitlist.list(), (place) => JSON.stringify(place)),
      payments: paymentIds.flatMap((id) => JSON.stringify(store.payments.find(id)) ?? []),
      wallAt: clock.wall(),
      told,
    };
  } finally {
    await store.close();
  }
}

function firstAt(log: Iterable<{ readonly receivedAt: number }>): number {
  for (const { receivedAt } of log) return receivedAt;
  return 0;
}

function refused(error: unknown): Refused {
  const code = error instanceof ServiceError ? error.code : 'none';
  return { is: 'refused', code, message: error instanceof Error ? `${error.message}` : String(error), told };
}

sendToParent(await live().catch(refused));
process.disconnect();
process.exit(0);
