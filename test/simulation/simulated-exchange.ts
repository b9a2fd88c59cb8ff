import { Agent, type ClientRequestArgs } from 'node:http';
import { AGENT_OPTIONS, createHttpExchange, type HttpExchange } from '../../src/sources/http-exchange.ts';
import type { Kernel, Owner } from './kernel.ts';
import type { Network } from './network.ts';

interface ExchangeOptions {
  readonly network: Pick<Network, 'connect'>;
  readonly kernel: Pick<Kernel, 'now' | 'owner'>;
  /** Whose connections these are. */
  readonly source: string;
  /** Told each answer of status 200 that its asker has read to its end, and when it was asked for, virtual ms. */
  readonly onAnswer: (owner: Owner, url: URL, text: string, askedAt: number) => void;
}

/** What one source of one life asks with: that of the service, whose connections are simulated ones. */
export function createSimulatedExchange({
  network,
  kernel,
  source,
  onAnswer,
}: ExchangeOptions): HttpExchange {
  class SimulatedAgent extends Agent {
    override createConnection({ host, port }: ClientRequestArgs) {
      return network.connect(String(host), Number(port), source);
    }
  }
  const ask = createHttpExchange(new SimulatedAgent(AGENT_OPTIONS));
  return async (url, init) => {
    const askedAt = kernel.now();
    const answer = await ask(url, init);
    const { status, body } = answer;
    if (status !== 200 || body === null) return answer;
    return { ...answer, body: onceRead(body, (text) => onAnswer(kernel.owner, new URL(url), text, askedAt)) };
  };
}

async function* onceRead(
  body: AsyncIterable<Uint8Array>,
  onText: (text: string) => void,
): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of body) {
    parts.push(part);
    yield part;
  }
  onText(Buffer.concat(parts).toString());
}
