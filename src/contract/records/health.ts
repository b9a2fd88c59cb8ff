import * as z from 'zod';
import { timeMs } from './fields.ts';

/** Whether the service works as it should (spec 2.7). */
export const healthRecord = z
  .object({
    timestamp: timeMs.meta({ description: 'When this was answered, UTC ms.' }),
    status: z.enum(['ok', 'starting', 'degraded', 'unavailable']).meta({
      description:
        'ok; starting: serving, but events or counts are not all known yet; degraded: serving, but a source is late, a pipeline failed, writes fail or the time is in doubt; unavailable: nothing to serve yet, or stopping.',
    }),
    history_percent: z.record(z.string(), z.int().min(0).max(100)).meta({
      description:
        'By account: how much was read of the past that its active events need, percent. Below 100 a count is not known yet.',
    }),
    stale: z.array(z.string()).meta({
      description:
        'Sources that have not answered for longer than their limit, or not about one of their values, by `source/account` or `source`.',
    }),
    refusing: z.array(z.string()).meta({
      description:
        'Sources that refused something within the last hour because it cannot be read or be as it says, such as a post dated ahead of the clock, by the same names.',
    }),
    writes_held_ms: z.int().min(0).optional().meta({
      description:
        'For how long the disk has not taken what is to be stored, ms: the values served are those from before. Absent while it does.',
    }),
    clock: z
      .string()
      .optional()
      .meta({ description: 'What is wrong with the time; absent when nothing is.' }),
    behind_ms: z.int().min(0).optional().meta({
      description:
        'For how long this machine of a cluster has not heard all that its engines know, ms; absent while it has, and on a single machine.',
    }),
  })
  .meta({
    description: 'The state of the service.',
    examples: [
      {
        timestamp: 1_794_714_408_917,
        status: 'ok',
        history_percent: { account_a: 100, account_b: 100 },
        stale: [],
        refusing: [],
      },
    ],
  });

export const probeRecord = z
  .object({
    status: z
      .enum(['alive', 'stalled', 'ready', 'not_ready'])
      .meta({ description: 'alive and ready come with 200, the others with 503.' }),
    reason: z.string().optional().meta({
      description: 'Why it is not ready, where more is known than that it starts or stops.',
    }),
  })
  .meta({ description: 'The result of a probe.', examples: [{ status: 'ready' }] });
