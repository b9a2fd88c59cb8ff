import { setTimeout as delay } from 'node:timers/promises';
import type { AccountId, Output, StreamName } from '../../streams/internal.ts';
import type { Outputs } from '../store/store.ts';

const POLL_MS = 200;

export interface TapFilter {
  readonly stream: StreamName;
  readonly account?: AccountId | undefined;
  readonly eventId?: number | undefined;
}

const WITH_EVENT: readonly StreamName[] = [
  'events',
  'counters',
  'prices',
  'minutes',
  'predictions',
  'scores',
  'decisions',
];
const WITH_ACCOUNT: readonly StreamName[] = ['posts', 'velocity', 'lag', 'sleep', ...WITH_EVENT];

/** Why the stream cannot be filtered in this way, or undefined when it can. */
export function filterFault({ stream, account, eventId }: TapFilter): string | undefined {
  if (account !== undefined && !WITH_ACCOUNT.includes(stream)) {
    return `${stream} has no accounts, expected one of ${WITH_ACCOUNT.join(', ')}`;
  }
  if (eventId !== undefined && !WITH_EVENT.includes(stream)) {
    return `${stream} has no events, expected one of ${WITH_EVENT.join(', ')}`;
  }
  return undefined;
}

function eventOf({ record }: Output): number | undefined {
  return 'eventId' in record ? record.eventId : undefined;
}

function accountOf(output: Output, events: ReadonlyMap<number, AccountId>): AccountId | undefined {
  const { record } = output;
  if ('account' in record) return record.account;
  const eventId = eventOf(output);
  return eventId === undefined ? undefined : events.get(eventId);
}

function accountsOfEvents(outputs: Outputs): ReadonlyMap<number, AccountId> {
  const accounts = new Map<number, AccountId>();
  for (const output of outputs.latest('events')) {
    if (output.stream !== 'events' || output.record.subject.type !== 'posts') continue;
    accounts.set(output.record.eventId, output.record.subject.account);
  }
  return accounts;
}

/** The items that pass the filter, in their order. */
function passing<T>(
  outputs: Outputs,
  filter: TapFilter,
  items: readonly T[],
  outputOf: (each: T) => Output,
): readonly T[] {
  const { account, eventId } = filter;
  if (items.length === 0 || (account === undefined && eventId === undefined)) return items;
  const events = account === undefined ? new Map<number, AccountId>() : accountsOfEvents(outputs);
  return items.filter((each) => {
    const output = outputOf(each);
    if (eventId !== undefined && eventOf(output) !== eventId) return false;
    return account === undefined || accountOf(output, events) === account;
  });
}

/** The latest output under each key, oldest first. */
export function tapOnce(outputs: Outputs, filter: TapFilter): readonly Output[] {
  const latest = passing(outputs, filter, outputs.latest(filter.stream), (output) => output);
  return latest.toSorted((a, b) => a.seq - b.seq || (a.key < b.key ? -1 : 1));
}

interface FollowOptions {
  readonly fromSeq: number;
  readonly signal: AbortSignal;
}

/** The stream from `fromSeq` on, as kept JSON lines in batches, until the signal. */
export async function* follow(
  outputs: Outputs,
  filter: TapFilter,
  { fromSeq, signal }: FollowOptions,
): AsyncGenerator<string> {
  let nextSeq = fromSeq;
  while (!signal.aborted) {
    for (const rows of batches(outputs.read(filter.stream, nextSeq))) {
      nextSeq = (rows.at(-1)?.seq ?? nextSeq - 1) + 1;
      // Each row is what JSON.stringify made of an output.
      const passed = passing(outputs, filter, rows, ({ json }) => JSON.parse(json) as Output);
      if (passed.length > 0) yield passed.map(({ json }) => `${json}\n`).join('');
      if (signal.aborted) return;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

const ROWS_PER_BATCH = 500;

function* batches<T>(items: Iterable<T>): Iterable<readonly T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < ROWS_PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
