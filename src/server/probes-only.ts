import type { RequestError } from '../errors.ts';
import type { App } from './app.ts';
import { internalError, refusal } from './error-answer.ts';
import type { Operations } from './operations.ts';
import { probeEndpoints } from './routes/operator.ts';

/** Answers the probes, and everything else with one refusal. Another process or a later time has the rest. */
export function createProbesOnly(
  operations: Pick<Operations, 'isLive' | 'isReady' | 'unready'>,
  refuse: () => RequestError,
): ReturnType<App['callback']> {
  const probes = new Map(probeEndpoints(operations).map(({ path, answer }) => [path, answer]));
  const otherwise = () => refusal(refuse()) ?? internalError();
  return async ({ url = '', method }, res) => {
    const [path = ''] = url.split('?', 1);
    const { status, headers, body } = (probes.get(path) ?? otherwise)();
    // What answers the next request may be something else.
    res.writeHead(status, { ...headers, Connection: 'close' }).end(method === 'HEAD' ? '' : body);
  };
}
