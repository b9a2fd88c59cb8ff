import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectTo } from './http-connection.ts';

const CONNECTIONS = 64;
/** Below the limit of requests on one socket. */
const REQUESTS_PER_CONNECTION = 50;
const WARM_UP_ROUNDS = 2;

export interface Load {
  readonly port: number;
  readonly head: string;
}

/**
 * CPU time of this process per request of each load, in microseconds, a figure a round. Loads take turns, so that a
 * busy machine slows all alike, and each comes first, second and last as often as the others.
 */
export async function measureInTurns(loads: readonly Load[], rounds: number): Promise<readonly number[][]> {
  const generator = await startGenerator();
  const costsUs: number[][] = loads.map(() => []);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (let turn = 0; turn < loads.length; turn++) {
      const place = (turn + round + WARM_UP_ROUNDS) % loads.length;
      const load = loads[place];
      const costUs = load === undefined ? Number.NaN : await measure(generator, load);
      if (round >= 0) costsUs[place]?.push(costUs);
    }
  }
  generator.disconnect();
  return costsUs;
}

/** A process of its own that sends the requests. To be disconnected. */
async function startGenerator(): Promise<ChildProcess> {
  const generator = fork(fileURLToPath(import.meta.url), ['load']);
  await once(generator, 'message');
  return generator;
}

/** CPU time of this process per request, in microseconds, while the child sends. */
async function measure(generator: ChildProcess, load: Load): Promise<number> {
  const before = process.cpuUsage();
  generator.send(load);
  await once(generator, 'message');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (CONNECTIONS * REQUESTS_PER_CONNECTION);
}

/** One keep-alive connection that asks again as soon as it is answered. Resolves after the last answer. */
async function askRepeatedly({ port, head }: Load): Promise<void> {
  let left = REQUESTS_PER_CONNECTION;
  const socket = await connectTo(port, () => {
    left -= 1;
    if (left > 0) socket.write(head);
    else socket.destroy();
  });
  socket.write(head);
  await once(socket, 'close');
}

function generateLoad(): void {
  process.on('message', async (load: Load) => {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => askRepeatedly(load)));
    process.send?.('done');
  });
  process.send?.('ready');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateLoad();
