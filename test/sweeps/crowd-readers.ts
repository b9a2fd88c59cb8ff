import { percentile } from '../../streams/internal.ts';
import { sendToParent } from '../support/child.ts';
import { openRawWebSocket } from '../support/raw-websocket.ts';

export interface JoinOrder {
  readonly op: 'join';
  readonly port: number;
  readonly readers: number;
  readonly channels: readonly string[];
  readonly key: string;
  /** Whether they stop reading once they have their first snapshot. A reader that is closed for it comes back. */
  readonly isStalling: boolean;
}

/** `join`: all at once; answered when each has a snapshot or failed. `report`: answered with what came since. */
export type CrowdOrder = JoinOrder | { readonly op: 'report' };

export interface CrowdReport {
  readonly open: number;
  /** Connections that were not taken, refused something, or broke off. */
  readonly failed: number;
  /** Stalled readers that were closed and came back. */
  readonly replaced: number;
  readonly frames: number;
  /** Frames that did not follow the one before, without a count of frames left out. */
  readonly gaps: number;
  /** Frames that were left out of what slow readers were sent. */
  readonly merged: number;
  /** From the observation behind a frame until a reader has it, ms. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface Tally {
  open: number;
  failed: number;
  replaced: number;
  frames: number;
  gaps: number;
  merged: number;
  delays: number[];
}

const tally: Tally = { open: 0, failed: 0, replaced: 0, frames: 0, gaps: 0, merged: 0, delays: [] };

/** Opens a reader's connection; `settled` is called once, when it has a snapshot or failed. */
function open(order: JoinOrder, settled: () => void): void {
  const { port, channels, key, isStalling } = order;
  const seqs = new Map<string, number>();
  let state: 'coming' | 'open' | 'failed' = 'coming';
  const settle = (outcome: 'open' | 'failed') => {
    if (state !== 'coming') return;
    state = outcome;
    settled();
  };
  const raw = openRawWebSocket(port, '/api/v1/feed', [`X-API-Key: ${key}`], {
    onOpen(socket) {
      tally.open += 1;
      socket.send(JSON.stringify({ op: 'subscribe', channels: channels.map((channel) => ({ channel })) }));
    },
    onText(text) {
      const [, type, channel = '', account = '', seq] =
        /^\{"type":"(\w+)"(?:,"channel":"(\w+)","account":(null|"\w+"),"epoch":"[^"]+","seq":(\d+))?/.exec(
          text,
        ) ?? [];
      if (type === 'error') tally.failed += 1;
      if (type !== 'snapshot' && type !== 'update') return;
      const topic = `${channel} ${account}`;
      if (type === 'update') {
        const prevSeq = Number(/"prev_seq":(\d+)/.exec(text)?.[1]);
        if (seqs.get(topic) !== prevSeq) tally.gaps += 1;
        tally.merged += Number(seq) - prevSeq - 1;
        tally.frames += 1;
        tally.delays.push(Date.now() - Number(/"ts":(\d+)/.exec(text)?.[1]));
      } else {
        settle('open');
        if (isStalling) raw.socket.pause();
      }
      seqs.set(topic, Number(seq));
    },
    onClose() {
      if (state === 'open') tally.open -= 1;
      if (state === 'open' && isStalling) {
        tally.replaced += 1;
        open(order, () => undefined);
        return;
      }
      tally.failed += 1;
      settle('failed');
    },
  });
}

function report(): CrowdReport {
  const { open: isOpen, failed, replaced, frames, gaps, merged } = tally;
  const delays = tally.delays.sort((a, b) => a - b);
  tally.delays = [];
  tally.frames = 0;
  const at = (rank: number) => percentile(delays, rank) ?? Number.NaN;
  return {
    open: isOpen,
    failed,
    replaced,
    frames,
    gaps,
    merged,
    p50Ms: at(50),
    p99Ms: at(99),
    maxMs: at(100),
  };
}

async function join(order: JoinOrder): Promise<void> {
  await Promise.all(
    Array.from({ length: order.readers }, () => new Promise<void>((resolve) => open(order, resolve))),
  );
}

process.on('message', async (order: CrowdOrder) => {
  if (order.op === 'join') await join(order);
  sendToParent(report());
});
