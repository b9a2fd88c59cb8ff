import type { FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import type { Counters } from './records.ts';

/** What the numbers of an event are made of. */
export type Input = Counters['stale'][number];

const INPUTS: readonly Input[] = ['posts', 'oracle', 'ui', 'prices'];

/** Whether all that is shown is of the past, as nothing comes from the server. */
export function isOld(status: FeedStatus): boolean {
  return status.state === 'down' || (status.state === 'stale' && status.reason !== 'source');
}

/** Inputs of an event whose numbers were true once: by the word of the server, or as their source or it is silent. */
export function staleInputs(event: Counters, status: FeedStatus, account: string): readonly Input[] {
  if (isOld(status)) return INPUTS;
  const silent = status.state === 'stale' ? status.sources : [];
  return INPUTS.filter(
    (input) =>
      event.stale.includes(input) || silent.includes(input) || silent.includes(`${input}/${account}`),
  );
}

/** How long ago each input last answered, ms; those that never did are left out. */
export function inputAges(
  heartbeat: HeartbeatFrame | undefined,
  account: string,
  now: number,
): ReadonlyMap<Input, number> {
  if (heartbeat === undefined) return new Map();
  const sinceMs = Math.max(0, now - heartbeat.ts);
  return new Map(
    INPUTS.flatMap((input) => {
      const ageMs = heartbeat.ages_ms[`${input}/${account}`] ?? heartbeat.ages_ms[input];
      return ageMs === undefined ? [] : [[input, ageMs + sinceMs] as const];
    }),
  );
}
