import assert from 'node:assert/strict';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { createReconnectingSocket, type Loss } from '../../../src/client/feed/reconnecting-socket.ts';
import type { FeedSocket, FeedSocketClass } from '../../../src/client/feed/socket.ts';
import { eventually } from '../../support/eventually.ts';

type Sequence = readonly ('open' | 'error' | 'close')[];

/** The losses of a socket that emits these events, each in a microtask of its own. */
async function lossesOf(sequence: Sequence): Promise<readonly Loss[]> {
  class Socket implements FeedSocket {
    onopen: (() => unknown) | null = null;
    onmessage: (() => unknown) | null = null;
    onclose: ((event: { code: number; reason: string }) => unknown) | null = null;
    onerror: (() => unknown) | null = null;

    constructor() {
      void this.act();
    }
    async act(): Promise<void> {
      for (const step of sequence) {
        await Promise.resolve();
        if (step === 'open') this.onopen?.();
        else if (step === 'error') this.onerror?.();
        else this.onclose?.({ code: 1006, reason: '' });
      }
    }
    send(): void {}
    close(): void {}
  }
  return lossesWith(async () => Socket);
}

/** The first two losses of sockets that come from there. */
async function lossesWith(loadSocket: () => Promise<FeedSocketClass>): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  const socket = createReconnectingSocket({
    url: 'ws://nowhere',
    loadSocket,
    reconnect: { minMs: 0, maxMs: 0 },
    random: () => 0,
    now: () => performance.now(),
    onConnecting: () => undefined,
    onOpen: () => undefined,
    onText: () => undefined,
    onLost(loss) {
      losses.push(loss);
      return losses.length < 2;
    },
  });
  socket.open();
  await eventually('it is lost twice', () => losses.length === 2);
  socket.close();
  return losses;
}

describe('createReconnectingSocket', () => {
  it('tries again after a close, with its code', async () => {
    const loss = { wasOpen: true, code: 1006, reason: '' };
    assert.deepEqual(await lossesOf(['open', 'error', 'close']), [loss, loss]);
  });

  it('tries again after an error that no close follows', async () => {
    const loss = { wasOpen: false, code: undefined, reason: 'an error' };
    assert.deepEqual(await lossesOf(['error']), [loss, loss]);
  });

  it('tries again when a socket cannot be made, or its class not be loaded', async () => {
    class Refused implements FeedSocket {
      onopen = null;
      onmessage = null;
      onclose = null;
      onerror = null;

      constructor() {
        throw new SyntaxError('the port is blocked');
      }
      send(): void {}
      close(): void {}
    }
    const loss = { wasOpen: false, code: undefined, reason: 'SyntaxError: the port is blocked' };
    assert.deepEqual(await lossesWith(async () => Refused), [loss, loss]);
    const unloaded = { ...loss, reason: 'Error: no such package' };
    assert.deepEqual(await lossesWith(() => Promise.reject(new Error('no such package'))), [
      unloaded,
      unloaded,
    ]);
  });

  it('counts the time without an answer as a part of the wait', async () => {
    class Silent implements FeedSocket {
      onopen = null;
      onmessage = null;
      onclose = null;
      onerror = null;

      send(): void {}
      close(): void {}
    }
    let now = 0;
    const waits: number[] = [];
    const socket = createReconnectingSocket({
      url: 'ws://nowhere',
      loadSocket: async () => Silent,
      reconnect: { minMs: 2_000, maxMs: 5_000, handshakeMs: 1 },
      random: () => 0.999,
      now() {
        now += 1_500;
        return now;
      },
      onConnecting: () => undefined,
      onOpen: () => undefined,
      onText: () => undefined,
      onLost(_loss, retryInMs) {
        waits.push(retryInMs);
        return false;
      },
    });
    socket.open();
    await eventually('it is lost', () => waits.length > 0);
    assert.deepEqual(waits, [3_998 - 1_500]);
  });

  it('is not lost any more once it is closed', async () => {
    let losses = 0;
    let refuse: (error: Error) => void = () => {};
    const loading = new Promise<FeedSocketClass>((_, reject) => {
      refuse = reject;
    });
    const socket = createReconnectingSocket({
      url: 'ws://nowhere',
      loadSocket: () => loading,
      reconnect: { minMs: 0, maxMs: 0 },
      random: () => 0,
      now: () => performance.now(),
      onConnecting: () => undefined,
      onOpen: () => undefined,
      onText: () => undefined,
      onLost() {
        losses += 1;
        return false;
      },
    });
    socket.open();
    socket.close();
    refuse(new Error('no such package'));
    await nextLoop();
    assert.equal(losses, 0);
  });

  it('closes a socket that is still connecting only once it is open, as a browser logs an error otherwise', async () => {
    const made: ConnectingSocket[] = [];
    class ConnectingSocket implements FeedSocket {
      onopen: (() => unknown) | null = null;
      onmessage: (() => unknown) | null = null;
      onclose: (() => unknown) | null = null;
      onerror: (() => unknown) | null = null;
      closes = 0;

      constructor() {
        made.push(this);
      }
      send(): void {}
      close(): void {
        this.closes++;
      }
    }
    const socket = createReconnectingSocket({
      url: 'ws://nowhere',
      loadSocket: async () => ConnectingSocket,
      reconnect: { minMs: 0, maxMs: 0 },
      random: () => 0,
      now: () => performance.now(),
      onConnecting: () => undefined,
      onOpen: () => assert.fail('it is not wanted any more'),
      onText: () => undefined,
      onLost: () => false,
    });
    socket.open();
    await eventually('it connects', () => made.length === 1);
    socket.close();
    assert.equal(made[0]?.closes, 0);
    made[0]?.onopen?.();
    assert.equal(made[0]?.closes, 1);
  });
});
