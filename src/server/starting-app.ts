import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { internalError, refusal } from './error-answer.ts';
import type { Operations } from './operations.ts';
import { probeEndpoints } from './routes/operator.ts';

/** Answers while there is nothing to serve yet: the probes, and to everything else that one has to wait. */
export function createStartingApp(
  reason: () => string,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const operations: Pick<Operations, 'isLive' | 'isReady' | 'unready'> = {
    isLive: () => true,
    isReady: () => false,
    unready: reason,
  };
  const probes = new Map(probeEndpoints(operations).map(({ path, answer }) => [path, answer]));
  return async ({ url = '' }, res) => {
    const { status, headers, body } = (probes.get(url) ?? (() => waitAnswer(reason())))();
    res.writeHead(status, { ...headers, Connection: 'close' }).end(body);
  };
}

function waitAnswer(reason: string): Answer {
  const error = new RequestError(503, 'starting', `The service starts: ${reason}`, { 'Retry-After': '5' });
  return refusal(error) ?? internalError();
}
