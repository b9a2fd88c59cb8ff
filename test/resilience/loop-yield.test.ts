import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createLoopYield } from '../../src/resilience/loop-yield.ts';

/** Both ends of a connection. */
async function connection(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  const client = connect(address.port, '127.0.0.1');
  const [accepted]: Socket[] = await once(server, 'connection');
  server.close();
  assert.ok(accepted);
  return [client, accepted];
}

describe('createLoopYield', () => {
  it('lets what has come over the network be taken first, also where the network called the computation', async () => {
    const [caller, called] = await connection();
    const [client, server] = await connection();
    const events: string[] = [];
    server.on('data', (data) => events.push(String(data)));
    const computed = new Promise<void>((resolve) => {
      called.once('data', async () => {
        const loop = createLoopYield(20);
        client.write('a request');
        while (!loop.isDue());
        await loop.yield();
        events.push('goes on');
        resolve();
      });
    });
    caller.write('compute');
    await computed;
    assert.deepEqual(events, ['a request', 'goes on']);
    for (const socket of [caller, called, client, server]) socket.destroy();
  });
});
