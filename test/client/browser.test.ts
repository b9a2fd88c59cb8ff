import assert from 'node:assert/strict';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/browser.ts';
import { startFeed } from '../feed/feed-server.ts';

describe('the client in a browser', () => {
  it('uses the socket the platform has', async () => {
    const before: unknown = Reflect.get(globalThis, 'WebSocket');
    let made = 0;
    class PlatformSocket extends WebSocket {
      constructor(url: string) {
        super(url);
        made += 1;
      }
    }
    const server = await startFeed();
    Reflect.set(globalThis, 'WebSocket', PlatformSocket);
    try {
      const client = createClient({ url: server.url, key: 'demo_pro' });
      assert.equal((await firstValueFrom(client.feed().velocity('account_a'))).type, 'snapshot');
      assert.equal(made, 1);
    } finally {
      Reflect.set(globalThis, 'WebSocket', before);
      await server.stop();
    }
  });
});
