import { merge } from 'rxjs';
import { WebSocket } from 'ws';
import { clientWith } from '../../src/client/client.ts';
import type { FeedEvent, FeedStatus } from '../../src/client/exports.ts';
import type { DataChannel, DataFrame } from '../../src/client/wire.ts';
import type { Chance } from './chance.ts';

interface ReaderOptions {
  readonly url: string;
  /** What they may see. Each has a key of its own, and a key may be used by few at a time. */
  readonly tier: 'FREE' | 'PRO' | 'INTERNAL';
  readonly random: Chance;
  readonly onFrame: (frame: DataFrame<DataChannel>) => void;
  readonly onEvent: (event: FeedEvent) => void;
  readonly onEnd: (error: unknown) => void;
}

export interface Reader {
  status(): FeedStatus | undefined;
}

const KEYS = { FREE: 'demo_free', PRO: 'demo_pro', INTERNAL: 'demo_internal' } as const;

/** Follows every channel that they may with the typed client, as a program of a user would. */
export function startReader({ url, tier, random, onFrame, onEvent, onEnd }: ReaderOptions): Reader {
  const client = clientWith(async () => WebSocket, { url, key: KEYS[tier], WebSocket });
  const feed = client.feed({ random });
  let status: FeedStatus | undefined;
  feed.status$.subscribe((next) => {
    status = next;
  });
  feed.event$.subscribe(onEvent);
  merge(
    feed.counters(),
    feed.tweets(),
    feed.prediction(),
    ...(tier === 'FREE' ? [] : [feed.velocity(), feed.signals()]),
    feed.lag(),
    feed.crypto(),
    feed.test(),
  ).subscribe({ next: onFrame, error: onEnd, complete: () => onEnd(new Error('the feed ended')) });
  return { status: () => status };
}
