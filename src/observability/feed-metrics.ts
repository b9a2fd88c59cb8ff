import { Counter, Gauge, type Registry } from 'prom-client';
import type { FeedFigures } from '../feed/figures.ts';

/** Reads the feed's counts at each scrape, as the feed writes too many frames to report each one. */
export function watchFeed(registry: Registry, read: () => FeedFigures): void {
  const registers = [registry];
  const counter = (name: string, help: string, of: (figures: FeedFigures) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(of(read()));
      },
    });
  const gauge = (name: string, help: string, of: (figures: FeedFigures) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(of(read()));
      },
    });
  gauge('tallywire_feed_connections', 'Readers connected to the feed', ({ connections }) => connections);
  gauge(
    'tallywire_feed_unsent_bytes',
    'Written to readers of the feed but not yet taken by the network',
    ({ unsentBytes }) => unsentBytes,
  );
  counter('tallywire_feed_frames_sent_total', 'Frames written to readers of the feed', ({ sent }) => sent);
  counter(
    'tallywire_feed_frames_merged_total',
    'Frames of the feed that newer ones took the place of',
    ({ merged }) => merged,
  );
  counter(
    'tallywire_feed_replayed_bytes_total',
    'Bytes of snapshots and missed frames that readers of the feed were sent',
    ({ replayedBytes }) => replayedBytes,
  );
  gauge(
    'tallywire_feed_waiting_readers',
    'Readers of the feed that wait for the replay budget of their caller, or for room',
    ({ waiting }) => waiting,
  );
  gauge(
    'tallywire_feed_catching_up',
    '1 while the feed publishes what changed while the service was down',
    ({ isCatchingUp }) => Number(isCatchingUp),
  );
  new Counter({
    name: 'tallywire_feed_closed_total',
    help: 'Connections to the feed that ended, by code',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of read().closed) this.inc({ code: String(code) }, count);
    },
  });
}
