import type { FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import type { Counters } from './records.ts';

/** An input of the numbers of an event. */
export type Input = Counters['stale'][number];

const INPUTS: readonly Input[] = ['posts', 'oracle', 'ui', 'prices'];

/** Whether the page gets no data, or not yet what it missed, so that everything on it may be out of date. */
export function isDisconnected(status: FeedStatus): boolean {
  if (status.state === 'stale') return status.reason !== 'source';
  return status.state === 'down' || status.state === 'resuming';
}

/** Inputs of an event that are out of date: the server says so, or nothing comes from the server. */
export function staleInputs(event: Counters, status: FeedStatus, account: string): readonly Input[] {
  if (isDisconnected(status)) return INPUTS;
  const stale = status.state === 'stale' ? status.sources : [];
  return INPUTS.filter(
    (input) => event.stale.includes(input) || stale.includes(input) || stale.includes(`${input}/${account}`),
  );
}

/** Time since each input last answered, ms; inputs that never did are omitted. */
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

/** The status as far as it concerns these accounts: it is live when only sources of others are stale. */
export function statusFor(status: FeedStatus, isShown: (account: string) => boolean): FeedStatus {
  if (status.state !== 'stale' || status.reason !== 'source') return status;
  const sources = status.sources.filter((source) => isOfAccounts(source, isShown));
  return sources.length === 0 ? { state: 'live' } : { ...status, sources };
}

/** Whether a source such as `posts/account_a` or `prices` is read for one of these accounts. */
export function isOfAccounts(source: string, isShown: (account: string) => boolean): boolean {
  const [, account] = source.split('/');
  return account === undefined || isShown(account);
}
