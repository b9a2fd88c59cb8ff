import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import Koa from 'koa';
import { reportBugs } from '../../src/server/report-bugs.ts';

describe('reportBugs', () => {
  it('reports what is thrown, and no caller who leaves before the answer', async () => {
    const reported: unknown[] = [];
    const bug = new Error('a bug');
    const koa = new Koa();
    reportBugs(koa, (error) => reported.push(error));
    let answering: (res: ServerResponse) => void = () => undefined;
    koa.use(async ({ path, res }) => {
      if (path === '/bug') throw bug;
      answering(res);
      await once(res, 'close');
    });
    const server = createServer(koa.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      assert.ok(address !== null && typeof address === 'object');
      const response = new Promise<ServerResponse>((resolve) => {
        answering = resolve;
      });
      const caller = connect(address.port, '127.0.0.1');
      caller.write('GET /slow HTTP/1.1\r\nHost: here\r\n\r\n');
      const res = await response;
      const left = once(res, 'close');
      caller.resetAndDestroy();
      await left;
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(reported, []);
      await (await fetch(`http://127.0.0.1:${address.port}/bug`)).arrayBuffer();
      assert.deepEqual(reported, [bug]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
