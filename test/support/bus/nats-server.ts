import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { findNatsServer, requirePackages } from '../system-packages.ts';
import { administer } from './administer.ts';

/** A real NATS server on a free port, with a folder of its own that is removed at the end. */
export interface NatsServer {
  readonly name: string;
  readonly url: string;
  start(): Promise<void>;
  isRunning(): boolean;
  /** At once, as when the machine loses power. */
  kill(): Promise<void>;
  /** Ends it, and what it stored is gone. */
  wipe(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** What it said last, for who has to find out why it does not do what it should. */
  lastLines(count: number): readonly string[];
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

interface ServerOptions {
  readonly name?: string;
  /** More lines of its configuration. */
  readonly config?: string;
  /** Where that has it listen to the other servers. */
  readonly routePort?: number;
  readonly hasJetStream?: boolean;
}

/** Where a server keeps its streams, inside of its folder. */
const STORED = 'js';

/** Nothing is left behind when the tests are cut off. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function answers(port: number, by: 'connect' | 'data'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isAnswered: boolean) => () => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.once(by, end(true)).once('error', end(false)).once('close', end(false));
  });
}

/** Leaves a test out, and says so, where there is no server; with `CI=true` it fails instead. */
export function requireNatsServer(test: Mocha.Context): void {
  requirePackages(test, 'the bus on NATS');
}

export async function createNatsServer(options: ServerOptions = {}): Promise<NatsServer> {
  const { name = 'n0', config = '', routePort, hasJetStream = true } = options;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'tallywire-nats-'));
  const file = join(folder, 'server.conf');
  mkdirSync(join(folder, STORED));
  const jetStream = `jetstream { store_dir: "${join(folder, STORED)}", max_file: 1G, max_mem: 64M }`;
  writeFileSync(
    file,
    `server_name: ${name}\nhost: 127.0.0.1\nport: ${port}\n${hasJetStream ? jetStream : ''}\n${config}\n`,
  );
  return serverOf({ name, port, routePort, folder, args: ['-c', file] });
}

interface ServerProcess {
  readonly name: string;
  readonly port: number;
  readonly routePort: number | undefined;
  /** Its working directory, which is removed at the end. */
  readonly folder: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function serverOf({ name, port, routePort, folder, args, env = {} }: ServerProcess): NatsServer {
  const binary = findNatsServer();
  if (binary === undefined) throw new Error('there is no NATS server on this machine');
  const log = join(folder, 'server.log');
  let child: ChildProcess | undefined;

  const kill = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
    running.delete(ending);
  };

  return {
    name,
    url: `nats://127.0.0.1:${port}`,
    async start() {
      const started = spawn(binary, [...args, '-l', log], {
        stdio: 'ignore',
        cwd: folder,
        env: { ...process.env, ...env },
      });
      child = started;
      running.add(started);
      await eventually(`the NATS server ${name} answers`, async () => {
        if (started.exitCode !== null) throw new Error(`the NATS server ended with ${started.exitCode}`);
        // It answers its clients before it knows whether it can listen to the other servers.
        return (
          (await answers(port, 'data')) && (routePort === undefined || (await answers(routePort, 'connect')))
        );
      });
    },
    isRunning: () => child !== undefined,
    kill,
    async wipe() {
      await kill();
      rmSync(join(folder, STORED), { recursive: true, force: true });
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    lastLines: (count) => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-count),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether they know each other, and can keep a stream on all of them: that takes a while after they answer. */
async function areReady(servers: readonly NatsServer[]): Promise<boolean> {
  const urls = servers.map(({ url }) => url);
  const probe = { name: 'PROBE', subjects: ['probe'], num_replicas: servers.length };
  return administer(urls, async ({ streams }) => {
    await streams.add(probe);
    return streams.delete(probe.name);
  }).catch(() => false);
}

/** Three servers that form a cluster. */
export async function createNatsCluster(): Promise<readonly NatsServer[]> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  // Written as servers tell each other their addresses: one gives up a lost route whose address it was told in another form
  // than it is configured, and a server that is started again may then never catch up (nats-server #8454, #8527).
  const routes = ports.map((port) => `"nats-route://127.0.0.1:${port}/"`).join(', ');
  const servers = await Promise.all(
    ports.map((port, index) =>
      createNatsServer({
        name: `n${index}`,
        routePort: port,
        config: `cluster { name: test, host: 127.0.0.1, port: ${port}, routes: [${routes}] }`,
      }),
    ),
  );
  await Promise.all(servers.map((server) => server.start()));
  await comeTogether('the NATS servers know each other', servers, () => areReady(servers));
  return servers;
}

/** Servers that have not come together by then are begun again, and what they said is told. The usual is some seconds. */
const BEGIN_AGAIN_MS = 45_000;

/**
 * Waits for servers to work together. A server may lose the others for good while their routes are made anew (nats-server
 * #8454, #8527), which an operator ends by starting it again.
 */
export async function comeTogether(
  what: string,
  begun: readonly NatsServer[],
  areTogether: () => Promise<boolean>,
): Promise<void> {
  let begunAt = performance.now();
  await eventually(what, async () => {
    if (await areTogether()) return true;
    if (performance.now() - begunAt > BEGIN_AGAIN_MS) {
      for (const server of begun) {
        const said = server.lastLines(30).join('\n');
        process.stderr.write(`the NATS server ${server.name} begins again; it said last:\n${said}\n`);
        await server.kill();
      }
      await Promise.all(begun.map((server) => server.start()));
      begunAt = performance.now();
    }
    return false;
  });
}

/** The folder of what an operator deploys. */
export const DEPLOY = join(process.cwd(), 'src/cluster/deploy');

export const PASSWORDS = {
  NATS_ENGINE_PASSWORD: 'p1ofEngines',
  NATS_EDGE_PASSWORD: 'p2ofEdges',
  NATS_ADMIN_PASSWORD: 'p3ofTheSystem',
};

/** The three servers as the operators' page has them; only their addresses are others, on the command line. */
export async function createDeployedNats(certificates: string): Promise<readonly NatsServer[]> {
  const names = ['nats-1', 'nats-2', 'nats-3'];
  const routePorts = await Promise.all(names.map(freePort));
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`).join(',');
  const servers = await Promise.all(
    names.map(async (name, index) => {
      const [port, http] = await Promise.all([freePort(), freePort()]);
      const folder = mkdtempSync(join(tmpdir(), 'tallywire-nats-'));
      symlinkSync(certificates, join(folder, 'certificates'));
      const addresses = ['-a', '127.0.0.1', '-p', `${port}`, '-m', `${http}`];
      const routePort = routePorts[index];
      const cluster = ['--cluster', `nats://127.0.0.1:${routePort}`, '--routes', routes];
      const args = ['-c', join(DEPLOY, 'nats-server.conf'), ...addresses, ...cluster];
      return serverOf({ name, port, routePort, folder, args, env: { NATS_NAME: name, ...PASSWORDS } });
    }),
  );
  await Promise.all(servers.map((server) => server.start()));
  return servers;
}
