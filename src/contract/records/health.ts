import { z } from 'zod';
import { timeMs } from './fields.ts';

/** Whether the service works as it should (spec 2.7). */
export const healthRecord = z
  .object({
    timestamp: timeMs.meta({ description: 'When this was answered, UTC ms.' }),
    status: z.enum(['ok', 'degraded', 'unavailable']).meta({
      description:
        'ok; degraded: serving, but a source is late, a pipeline failed or writes fail; unavailable: nothing to serve yet, or stopping.',
    }),
  })
  .meta({
    description: 'The state of the service.',
    examples: [{ timestamp: 1_794_714_408_917, status: 'ok' }],
  });

export const probeRecord = z
  .object({
    status: z
      .enum(['alive', 'stalled', 'ready', 'not_ready'])
      .meta({ description: 'alive and ready come with 200, the others with 503.' }),
  })
  .meta({ description: 'The result of a probe.', examples: [{ status: 'ready' }] });
