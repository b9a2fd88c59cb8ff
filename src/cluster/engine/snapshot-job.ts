import * as z from 'zod';

/** What snapshot-process.ts is told on its standard input. */
export const snapshotJob = z.strictObject({
  /** The data folder of the engine. */
  folder: z.string(),
  epoch: z.string(),
  accounts: z.array(z.string()),
  passing: z.array(z.string()),
});

export type SnapshotJob = z.infer<typeof snapshotJob>;
