import { request } from 'node:http';
import type { Network } from './network.ts';

/** Statuses whose answers have no body. */
const WITHOUT_BODY = [204, 205, 304];

/** `fetch` over the simulated network, one connection for each request. */
export function createSimulatedFetch(network: Pick<Network, 'connect'>): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const port = Number(url.port === '' ? 80 : url.port);
      const { signal, method = 'GET', body, redirect } = init;
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const exchange = request({
        host: url.hostname,
        port,
        path: url.pathname + url.search,
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        createConnection: () => network.connect(url.hostname, port),
      });
      let fail = (error: unknown) => reject(error);
      const abort = () => {
        fail(signal?.reason);
        exchange.destroy();
      };
      signal?.addEventListener('abort', abort, { once: true });
      exchange.once('close', () => signal?.removeEventListener('abort', abort));
      exchange.on('error', (cause) => fail(new TypeError('fetch failed', { cause })));
      exchange.once('response', (response) => {
        const status = response.statusCode ?? 0;
        if (redirect === 'error' && status >= 300 && status < 400 && status !== 304) {
          reject(new TypeError('unexpected redirect'));
          exchange.destroy();
          return;
        }
        const headers = new Headers();
        for (let at = 0; at + 1 < response.rawHeaders.length; at += 2)
          headers.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '');
        const content = new ReadableStream<Uint8Array>({
          start(controller) {
            let isOver = false;
            fail = (error) => {
              if (!isOver) controller.error(error);
              isOver = true;
            };
            response.on('data', (bytes: Buffer) => {
              if (!isOver) controller.enqueue(bytes);
            });
            response.once('end', () => {
              if (!isOver) controller.close();
              isOver = true;
            });
            response.once('error', (cause) => fail(new TypeError('terminated', { cause })));
          },
          cancel() {
            exchange.destroy();
          },
        });
        if (WITHOUT_BODY.includes(status)) response.resume();
        resolve(new Response(WITHOUT_BODY.includes(status) ? null : content, { status, headers }));
      });
      exchange.end(typeof body === 'string' ? body : undefined);
    });
}
