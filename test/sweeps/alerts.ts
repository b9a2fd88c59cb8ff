import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { alertMessage } from '../../src/contract/records/alert.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createRng } from '../../src/world/rng.ts';
import { type Receiver, startReceiver } from '../alerts/receiver.ts';
import { type Child, startChild } from '../support/child.ts';
import { deltasOf, expectedAlerts, RULES } from './alerts-life.ts';

const childModule = new URL(`./alerts-child${extname(import.meta.url)}`, import.meta.url);

interface AlertSweep {
  /** Of the process that stores and delivers. */
  readonly kills: number;
  /** Observations. */
  readonly last: number;
  readonly seed: number;
}

/** What happened in a run, for a line of a report. */
interface AlertSweepFound {
  readonly alerts: number;
  readonly requests: number;
  readonly refused: number;
}

/**
 * Kills the process at random observations and in the middle of deliveries, while the receiver is down, slow, answers 500,
 * or takes an alert and does not say so. After de-duplication each alert must have come exactly once, in order.
 */
export async function sweepAlerts({ kills, last, seed }: AlertSweep): Promise<AlertSweepFound> {
  const rng = createRng('alerts receiver', seed);
  const folder = mkdtempSync(join(tmpdir(), 'tallywire-alerts-'));
  let child: Child | undefined;
  let refused = 0;
  let isLast = false;
  let killAtRequest = 0;
  let requests = 0;
  let downFor = 0;

  /** Answers, or does not, as the seed says. A delivery that is refused counts as not received. */
  function answer(res: ServerResponse): number | undefined {
    requests += 1;
    if (!isLast && requests === killAtRequest) child?.process.kill('SIGKILL');
    if (downFor > 0) downFor -= 1;
    const chance = rng.next();
    if (chance < 0.02) downFor = 10;
    if (downFor > 0) return drop(res);
    if (chance < 0.15) return fail(500);
    if (chance < 0.2) return fail(429);
    if (chance < 0.25) return drop(res);
    if (chance < 0.26) return undefined;
    return 204;
  }
  function fail(status: number): number {
    refused += 1;
    return status;
  }
  function drop(res: ServerResponse): undefined {
    refused += 1;
    res.destroy();
  }

  const receiver: Receiver = await startReceiver((_received, res) => answer(res));
  try {
    for (let kill = 0; kill <= kills; kill++) {
      isLast = kill === kills;
      killAtRequest = rng.next() < 0.5 ? requests + 1 + Math.floor(rng.next() * 20) : 0;
      child = startChild(childModule, [folder, receiver.url, String(seed), String(last)]);
      const current = child;
      const killAt = Math.floor((last * (kill + rng.next())) / Math.max(1, kills));
      if (!isLast) {
        current.process.on('message', (message) => {
          if (Object(message).seq >= killAt) current.process.kill('SIGKILL');
        });
      }
      const end = await current.ended();
      assert.ok(end === 'SIGKILL' ? !isLast : end === 0, `a process ended with ${end}`);
    }
    const alerts = await check(receiver, folder, seed, last);
    return { alerts, requests, refused };
  } finally {
    child?.process.kill('SIGKILL');
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(receiver: Receiver, folder: string, seed: number, last: number): Promise<number> {
  const store = await openStore(folder, { readOnly: true });
  assert.deepEqual([store.alerts.rows('waiting'), store.alerts.rows('dead')], [[], []]);
  await store.close();
  const deltas = deltasOf(seed, last);
  let count = 0;
  for (const rule of RULES) {
    const messages = receiver.received
      .filter(({ path }) => path === `/${rule.id}`)
      .map(({ body }) => alertMessage.parse(JSON.parse(body)));
    const seen = new Set<string>();
    const inOrder = messages.filter(({ id }) => !seen.has(id) && seen.add(id));
    assert.deepEqual(
      inOrder.map(({ seq, event_id, value }) => `${seq} ${event_id} ${value}`),
      expectedAlerts(deltas, rule),
      `rule ${rule.id}`,
    );
    assert.deepEqual(
      inOrder.map(({ n }) => n),
      inOrder.map((_, index) => index + 1),
    );
    count += inOrder.length;
  }
  return count;
}
