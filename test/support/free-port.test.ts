import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './free-port.ts';

describe('a free port', () => {
  it('can be listened on, lies below the ports of outgoing connections, and is never given twice', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    assert.equal(new Set(ports).size, ports.length);
    for (const port of ports) {
      assert.ok(port >= 15_000 && port < 32_768, `port ${port}`);
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
    }
  });
});
