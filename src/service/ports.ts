import type { Config } from '../config/config.ts';
import { checkPort } from '../server/http.ts';
import { type Machine, thisMachine } from './machine.ts';

/** How long open requests may take after the port is closed. */
const DRAIN_DEADLINE_MS = 8_000;

/** Rejects when one of the ports is taken. */
export async function checkPorts(
  { port, host, metrics }: Config,
  { listen }: Machine = thisMachine,
): Promise<void> {
  await checkPort(port, host, listen);
  if (metrics !== null) await checkPort(metrics.port, metrics.host, listen);
}

/** How readers are told of a stop, and waited for. */
export function drainTimes({ drainSeconds }: Config): {
  readonly noticeMs: number;
  readonly deadlineMs: number;
} {
  return { noticeMs: drainSeconds * 1_000, deadlineMs: DRAIN_DEADLINE_MS };
}
