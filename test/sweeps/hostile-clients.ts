import { sendToParent } from '../support/child.ts';
import { openRawWebSocket } from '../support/raw-websocket.ts';
import { askOnAndOn, p99 } from './hostile.ts';

// Good clients: some ask for a prepared answer over and over, one reads the feed. Answers each message with what they
// saw since the last one.

const port = Number(process.argv[2]);
const asking = { times: [] as number[], failures: [] as string[] };
const feed = { gaps: [] as number[], lastMs: performance.now(), lost: 0 };

function read(): void {
  feed.lastMs = performance.now();
  openRawWebSocket(port, '/api/v1/feed', [], {
    onOpen: (socket) => {
      socket.send(JSON.stringify({ op: 'subscribe', channels: [{ channel: 'counters' }] }));
    },
    onText() {
      feed.gaps.push(performance.now() - feed.lastMs);
      feed.lastMs = performance.now();
    },
    onClose() {
      feed.lost += 1;
      read();
    },
  });
}

read();
void askOnAndOn(
  port,
  () => false,
  (ms) => asking.times.push(ms),
  (error) => asking.failures.push(String(error)),
);
process.on('message', () => {
  sendToParent({
    failures: asking.failures,
    p99Ms: asking.times.length === 0 ? null : p99(asking.times),
    gapMs: feed.gaps.length === 0 ? null : p99(feed.gaps),
    lost: feed.lost,
  });
  asking.times = [];
  asking.failures = [];
  feed.gaps = [];
  feed.lost = 0;
});
process.once('disconnect', () => process.exit());
