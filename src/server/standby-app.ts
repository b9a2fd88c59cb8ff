import { plainAnswer } from './answer.ts';
import type { App } from './app.ts';
import { JSON_TYPE, SECURITY_HEADERS } from './headers.ts';
import type { Operations } from './operations.ts';
import { probeEndpoints } from './routes/operator.ts';

/**
 * What an engine answers that stands by for another one: its probes, and to all else that readers go elsewhere. It counts
 * no calls and takes no payments, which are the leader's.
 */
export function createStandbyApp(
  operations: Pick<Operations, 'isLive' | 'isReady'>,
): Pick<App, 'callback' | 'beginDrain' | 'close'> {
  const probes = new Map(probeEndpoints(operations).map(({ path, answer }) => [path, answer]));
  const body = JSON.stringify({
    detail: 'This engine stands by for another one; ask that one, or an edge',
    code: 'standing_by',
  });
  const elsewhere = () => plainAnswer(503, JSON_TYPE, body, { ...SECURITY_HEADERS, 'Retry-After': '5' });
  return {
    callback: () => async (req, res) => {
      const [path = ''] = (req.url ?? '').split('?', 1);
      const { status, headers, body: text } = (probes.get(path) ?? elsewhere)();
      res.writeHead(status, { ...headers }).end(req.method === 'HEAD' ? '' : text);
    },
    beginDrain: () => undefined,
    close: () => undefined,
  };
}
