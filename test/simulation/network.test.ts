import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import net from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { chanceOf } from './chance.ts';
import { createKernel, type Owner } from './kernel.ts';
import { createNetwork } from './network.ts';
import { settled } from './settled.ts';
import { createSimulatedFetch } from './simulated-fetch.ts';
import { installVirtualGlobals } from './virtual-globals.ts';

const START_AT = Date.parse('2026-11-04T15:00:00Z');
const world: Owner = { name: 'world' };
const reader: Owner = { name: 'reader' };

/** A server of the world and a reader, in virtual time. */
async function withNetwork(use: (stage: ReturnType<typeof stageOf>) => Promise<void>): Promise<void> {
  const stage = stageOf();
  try {
    await use(stage);
  } finally {
    stage.globals.restore();
  }
}

function stageOf() {
  const kernel = createKernel();
  const network = createNetwork(kernel, chanceOf(1, 'wire'));
  const globals = installVirtualGlobals({ kernel, startAt: START_AT, random: chanceOf(1, 'random') });
  const server = createServer((req, res) => {
    if (req.url === '/silent') return;
    setTimeout(() => res.end(`answer to ${req.url}`.repeat(req.url === '/long' ? 10_000 : 1)), 100);
  });
  void kernel.as(world, () => network.listen(server, 80, 'world.test'));
  const get = (path: string, init?: RequestInit) =>
    settled(
      kernel,
      kernel.as(reader, async () => {
        const answer = await createSimulatedFetch(network)(`http://world.test:80${path}`, init);
        return answer.text();
      }),
    );
  return { kernel, network, globals, server, get };
}

describe('createNetwork', () => {
  it('carries requests and answers of any length in virtual time', () =>
    withNetwork(async ({ kernel, get }) => {
      assert.equal(await get('/a'), 'answer to /a');
      assert.ok(kernel.now() > 100 && kernel.now() < 500);
      assert.equal(await get('/long'), 'answer to /long'.repeat(10_000));
    }));

  it('refuses connections where nobody listens, and after the end of a server or its owner', () =>
    withNetwork(async ({ kernel, network, server, get }) => {
      const refused = { message: 'fetch failed', cause: /ECONNREFUSED/ };
      const elsewhere = createSimulatedFetch(network)('http://other.test:80/');
      await assert.rejects(settled(kernel, elsewhere), (error: Error) =>
        /ECONNREFUSED/.test(String(error.cause)),
      );
      server.close();
      await assert.rejects(get('/a'), (error: Error) => refused.cause.test(String(error.cause)));
      await kernel.as(world, () => network.listen(server, 80, 'world.test'));
      await get('/a');
      kernel.kill(world);
      network.kill(world);
      await assert.rejects(get('/a'), (error: Error) => refused.cause.test(String(error.cause)));
    }));

  it('resets the connections of who is killed', () =>
    withNetwork(async ({ kernel, network, get }) => {
      kernel.schedule(
        1_000,
        () => {
          kernel.kill(world);
          network.kill(world);
        },
        reader,
      );
      await assert.rejects(get('/silent'), (error: Error) => /ECONNRESET/.test(String(error.cause)));
    }));

  it('tells nobody of a connection that breaks before it is accepted', () =>
    withNetwork(async ({ kernel, network, server }) => {
      let accepted = 0;
      server.on('connection', () => accepted++);
      for (let n = 0; n < 20; n++) kernel.as(reader, () => network.connect('world.test', 80));
      kernel.kill(reader);
      network.kill(reader);
      await kernel.run(1_000);
      // Resets overtake some of the connections, as both take a while.
      assert.ok(accepted > 0 && accepted < 20, String(accepted));
    }));

  it('gives up an exchange whose caller does', () =>
    withNetwork(async ({ kernel, network, get }) => {
      await assert.rejects(get('/silent', { signal: AbortSignal.timeout(2_000) }), { name: 'TimeoutError' });
      await kernel.run(1_000);
      assert.deepEqual(network.connectionsTo(world), []);
    }));

  it('carries WebSockets both ways in order, stalls them, and ends them', () =>
    withNetwork(async ({ kernel, network, server }) => {
      const sockets = new WebSocketServer({ noServer: true });
      server.on('upgrade', (req, socket, head) =>
        sockets.handleUpgrade(req, socket, head, (peer) =>
          peer.on('message', (text) => peer.send(`re ${text}`)),
        ),
      );
      const heard: string[] = [];
      const socket = kernel.as(
        reader,
        () =>
          new WebSocket('ws://world.test:80/', { createConnection: () => network.connect('world.test', 80) }),
      );
      socket.on('open', () => {
        for (let n = 0; n < 5; n++) socket.send(String(n));
      });
      socket.on('message', (text) => heard.push(String(text)));
      socket.on('close', (code) => heard.push(`closed ${code}`));
      await kernel.run(1_000);
      assert.deepEqual(heard.splice(0), ['re 0', 're 1', 're 2', 're 3', 're 4']);
      const [connection] = network.connectionsTo(world);
      connection?.server.stall();
      kernel.as(reader, () => socket.send('later'));
      await kernel.run(10_000);
      assert.deepEqual(heard, []);
      connection?.server.endStall();
      await kernel.run(1_000);
      assert.deepEqual(heard.splice(0), ['re later']);
      kernel.as(world, () => connection?.server.destroy());
      await kernel.run(1_000);
      assert.deepEqual(heard, ['closed 1006']);
      assert.deepEqual(network.connectionsTo(world), []);
    }));

  it('is what sockets of this process use where it replaces the connect of node', () =>
    withNetwork(async ({ kernel, network, server }) => {
      const sockets = new WebSocketServer({ noServer: true });
      server.on('upgrade', (req, socket, head) =>
        sockets.handleUpgrade(req, socket, head, (peer) => peer.send('hello')),
      );
      const real = net.connect;
      Reflect.set(net, 'connect', ({ host, port }: { host: string; port: number }) =>
        network.connect(host, port),
      );
      try {
        const heard: string[] = [];
        const socket = kernel.as(reader, () => new WebSocket('ws://world.test:80/'));
        socket.on('message', (text) => heard.push(String(text)));
        await kernel.run(1_000);
        assert.deepEqual(heard, ['hello']);
      } finally {
        net.connect = real;
      }
    }));
});
