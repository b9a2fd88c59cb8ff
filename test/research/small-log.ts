import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Checkpoint, Store } from '../../src/store/store.ts';
import {
  createRunner,
  emptyState,
  encodeState,
  type Fact,
  GRAPH_VERSION,
  HOUR_MS,
  type Observation,
  type Output,
  USUAL_RULE,
} from '../../streams/internal.ts';

export const START_AT = Date.UTC(2026, 0, 5);

const EVENT_ID = 71;
const opening: readonly Fact[] = [
  {
    kind: 'settings',
    accounts: [
      { id: 'a', rule: USUAL_RULE },
      { id: 'b', rule: USUAL_RULE },
    ],
    staleAfterMs: { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 },
  },
  {
    kind: 'tracking',
    account: 'a',
    trackingId: 't1',
    slug: 'account-a-posts',
    title: 'posts of account A',
    startAt: START_AT - HOUR_MS,
    endAt: START_AT + 48 * HOUR_MS,
  },
  {
    kind: 'event',
    eventId: EVENT_ID,
    slug: 'account-a-posts',
    title: 'posts of account A',
    image: '',
    subject: { type: 'posts', account: 'a' },
    startAt: START_AT - HOUR_MS,
    endAt: START_AT + 48 * HOUR_MS,
    isClosed: false,
    buckets: [bucket(0, 9), bucket(10, null)],
  },
  { kind: 'coverage', account: 'a', fromAt: START_AT - 24 * HOUR_MS },
  { kind: 'coverage', account: 'b', fromAt: START_AT - 24 * HOUR_MS },
];

function bucket(lo: number, hi: number | null) {
  const title = `${lo} to ${hi ?? 'more'}`;
  const tokens = { yesToken: `yes${lo}`, noToken: `no${lo}` };
  return { title, lo, hi, conditionId: `c${lo}`, marketSlug: `m${lo}`, ...tokens, won: null };
}

function post(number: number): Fact {
  return {
    kind: 'post',
    account: number % 3 === 0 ? 'b' : 'a',
    via: 'poll',
    id: String(1_000 + number),
    text: `post ${number}`,
    createdAt: START_AT + number * 1_000 - 300,
    isReply: false,
    isReplyToSelf: false,
    isQuote: false,
    isRepost: number % 5 === 0,
    isFromCommunity: false,
    url: `http://posts.test/${number}`,
  };
}

/** What second `n` of the log brings, besides its tick. */
function factsOf(n: number): readonly Fact[] {
  const facts: Fact[] = [{ kind: 'tick', ages: { 'posts:a': 100, 'posts:b': 100, 'oracle:a': 500 } }];
  // Before that it is not known that account B has no event.
  if (n === 20) facts.push({ kind: 'listing', subject: 'posts' });
  if (n % 2 === 0) facts.push(post(n));
  if (n % 5 === 0) {
    facts.push({ kind: 'oracle', account: 'a', trackingId: 't1', total: Math.floor(n / 5), syncedAt: null });
  }
  if (n % 7 === 0) facts.push({ kind: 'ui', eventId: EVENT_ID, count: Math.floor(n / 7) });
  if (n % 3 === 0) {
    const quotes = [{ token: 'yes0', bid: 0.3, ask: 0.3 + (n % 10) / 100, last: null, ui: null }];
    facts.push({ kind: 'prices', eventId: EVENT_ID, quotes });
    facts.push({ kind: 'spot', ticks: [{ symbol: 'BTC', price: 50_000 + n, at: START_AT + n * 1_000 }] });
  }
  return facts;
}

/** One turn of the engine per second of the log, as blocks of observations. */
export function turnsOf(seconds: number): readonly (readonly Observation[])[] {
  let seq = 0;
  return Array.from({ length: seconds }, (_, n) =>
    [...(n === 0 ? opening : []), ...factsOf(n)].map((fact) => ({
      seq: ++seq,
      receivedAt: START_AT + n * 1_000,
      fact,
    })),
  );
}

export interface Turn {
  readonly observations: readonly Observation[];
  readonly outputs: readonly Output[];
  /** The state after it, to be kept as a checkpoint. */
  readonly checkpoint: Checkpoint;
}

/** Runs turns through the graph. */
export function* computed(turns: Iterable<readonly Observation[]>): Iterable<Turn> {
  const { state, run } = createRunner(emptyState());
  for (const observations of turns) {
    const outputs = observations.flatMap(run);
    const last = observations.at(-1);
    const place = { seq: last?.seq ?? 0, at: last?.receivedAt ?? 0 };
    yield {
      observations,
      outputs,
      checkpoint: { ...place, graphVersion: GRAPH_VERSION, state: encodeState(state) },
    };
  }
}

export interface Recording {
  readonly seconds: number;
  /** Changes what is stored of a turn, as damage or a bug would. */
  readonly outputs?: (turn: Turn) => readonly Output[];
  readonly observations?: (turn: Turn) => readonly Observation[];
  readonly checkpoint?: (turn: Turn) => Checkpoint;
  /** The last turns of the log whose outputs were never stored. */
  readonly unstored?: number;
}

/** Keeps a computed log in a store, with a checkpoint every ten turns, before which outputs are stored together. */
export async function record(store: Store, recording: Recording): Promise<void> {
  const { seconds, unstored = 0 } = recording;
  let unwritten: Output[] = [];
  let saidAt = 0;
  const write = async () => {
    if (unwritten.length > 0) await store.outputs.append(unwritten, saidAt);
    unwritten = [];
  };
  for (const [n, turn] of [...computed(turnsOf(seconds))].entries()) {
    const observations = recording.observations?.(turn) ?? turn.observations;
    const outputs = recording.outputs?.(turn) ?? turn.outputs;
    await store.journal.append(observations);
    if (n >= seconds - unstored) continue;
    if (outputs.some(({ stream }) => stream !== 'freshness')) {
      unwritten.push(...outputs);
      saidAt = observations.at(-1)?.seq ?? 0;
    }
    if (n % 10 !== 9) continue;
    await write();
    await store.checkpoints.save(recording.checkpoint?.(turn) ?? turn.checkpoint);
  }
  await write();
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tallywire-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Calls `use` with a store in a folder that is removed afterwards. */
export async function withStore(use: (store: Store, folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const store = await openStore(folder.path);
  try {
    await use(store, folder.path);
  } finally {
    await store.close();
    folder.remove();
  }
}

/** Every kept JSON line of the given streams. */
export function keptLines(store: Store, ...streams: Output['stream'][]): string[] {
  return streams.flatMap((stream) => [...store.outputs.read(stream, 0)].map(({ json }) => json));
}
