import { randomUUID } from 'node:crypto';
import type { Bus } from '../bus.ts';
import { createBus } from '../create-bus.ts';
import { realTime } from '../time.ts';
import { connectNats, type NatsOptions } from './connect.ts';

interface NatsBusOptions extends NatsOptions {
  /** How long a stream may seem shorter than it was before that is believed. */
  readonly tailLostAfterMs?: number;
}

/** Joins the cluster that the NATS servers hold. */
export async function openNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { role, report, tailLostAfterMs } = options;
  return createBus({
    transport: await connectNats(options),
    time: realTime,
    newId: () => randomUUID().replaceAll('-', ''),
    isEngine: role.type === 'engine',
    report,
    ...(tailLostAfterMs !== undefined && { tailLostAfterMs }),
  });
}
