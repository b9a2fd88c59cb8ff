import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { startChild } from '../support/child.ts';
import type { Simulated } from './any-simulation.ts';

const told = z.object({
  type: z.literal('told'),
  violations: z.array(z.object({ at: z.number(), invariant: z.number(), message: z.string() })),
  digest: z.string(),
  virtualMs: z.number(),
  cpuSeconds: z.number(),
  /** How often each kind of fault happened. */
  fired: z.record(z.string(), z.number()),
});
/** Something threw before the simulation was over. */
const ended = z.object({ type: z.literal('ended'), why: z.string() });

/** What a process that simulates tells the one that started it, of each seed. */
export const seedOutcome = z.object({
  seed: z.number(),
  outcome: z.discriminatedUnion('type', [told, ended]),
});
export type SeedOutcome = z.infer<typeof seedOutcome>;

/** How a simulation ended. */
export type Outcome =
  | SeedOutcome['outcome']
  /** It was ended because it took too long. */
  | { readonly type: 'overdue' };

interface ChildOptions {
  /** What is run; the simulation of this build unless given. */
  readonly runner?: URL;
  /** The process is ended after so many real ms. */
  readonly mostMs?: number;
}

const MOST_MS = 3_600_000;

/** Runs a simulation in a process of its own, which has to be ended by its parent in time. */
export async function simulateInChild(
  { seed, hours, tier, plan }: Simulated,
  { runner = new URL('./run-simulate.js', import.meta.url), mostMs = MOST_MS }: ChildOptions = {},
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tallywire-simulation-'));
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  const place = ['--hours', String(hours), '--seed', String(seed), '--tier', tier];
  const child = startChild(runner, [...place, '--plan', file, '--no-shrink'], { flags: process.execArgv });
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    child.process.kill('SIGKILL');
  }, mostMs);
  try {
    const message = await child.firstMessage((each) => seedOutcome.safeParse(each).success);
    await child.ended();
    return seedOutcome.parse(message).outcome;
  } catch (error) {
    if (isOverdue) return { type: 'overdue' };
    return { type: 'ended', why: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
    rmSync(folder, { recursive: true });
  }
}

/** Names what went wrong first, such that two failures of the same kind have the same name; undefined if nothing did. */
export function failureOf(outcome: Outcome): string | undefined {
  if (outcome.type === 'ended') return 'the end of the process';
  if (outcome.type === 'overdue') return 'no end in time';
  const [first] = outcome.violations;
  return first && `invariant ${first.invariant}`;
}
