import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '../../../src/bus/bus.ts';
import { BusError } from '../../../src/bus/bus-error.ts';
import { openNatsBus } from '../../../src/bus/nats/open-nats-bus.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { memoryProcess } from '../../cli/memory-process.ts';
import {
  createDeployedNats,
  DEPLOY,
  type NatsServer,
  PASSWORDS,
  requireNatsServer,
} from '../../support/bus/nats-server.ts';
import { eventually } from '../../support/eventually.ts';

describe('the configuration of NATS servers that the page for operators has', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallywire-deploy-'));
  let servers: readonly NatsServer[] = [];
  let addresses = '';
  before(async function () {
    requireNatsServer(this);
    execFileSync('sh', [join(DEPLOY, 'certificates.sh')], { cwd: folder, stdio: 'pipe' });
    servers = await createDeployedNats(join(folder, 'certificates'));
    addresses = servers.map(({ url }) => url.replace('nats:', 'tls:')).join(',');
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.remove()));
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (
    user: 'engine' | 'edge',
    password = user === 'engine' ? PASSWORDS.NATS_ENGINE_PASSWORD : PASSWORDS.NATS_EDGE_PASSWORD,
  ) => ({
    TALLYWIRE_BUS_USER: user,
    TALLYWIRE_BUS_PASSWORD: password,
    TALLYWIRE_BUS_CA: join(folder, 'certificates/ca.crt'),
  });
  const open = (user: 'engine' | 'edge', env: Readonly<Record<string, string>> = as(user)): Promise<Bus> =>
    openNatsBus({
      servers: addresses,
      env,
      name: user,
      role: user === 'engine' ? { type: 'engine', replicas: 3 } : { type: 'edge' },
      report: () => undefined,
    });
  async function status(env: Readonly<Record<string, string>>) {
    const proc = { ...memoryProcess(), env };
    const code = await runProgram(['cluster', 'status', '--bus', addresses, '--json'], proc);
    return { code, ...proc.texts };
  }

  it('refuses connections without TLS, without the authority, and with a wrong password', async () => {
    await assert.rejects(open('engine', as('engine', 'guessed')), { code: 'BUS_CREDENTIALS' });
    const { TALLYWIRE_BUS_CA: _authority, ...others } = as('engine');
    await assert.rejects(open('engine', others), { code: 'BUS_UNREACHABLE', message: /certificate/ });
  });

  /** Servers that have just begun may not know each other yet. */
  async function openOnce(): Promise<boolean> {
    try {
      await (await open('engine')).close();
      return true;
    } catch (error) {
      if (error instanceof BusError && error.code === 'BUS_UNREACHABLE') return false;
      throw error;
    }
  }

  it('lets an engine lead, and an edge read and ask but not write to a shard', async () => {
    await eventually('the servers can keep streams', openOnce);
    const engine = await open('engine');
    const buses = [engine];
    try {
      const shard = await engine.shard('main');
      const lease = await engine.leases.campaign('main', 'engine-1-x', new AbortController().signal);
      const writer = await shard.beginTerm(lease.term, 0);
      assert.ok(writer !== 'behind');
      await writer.append({ kind: 'log', bytes: Buffer.from('a block') });
      await engine.snapshots.save('main', writer.place, [Buffer.from('a snapshot')]);
      await engine.shared('keys').set('key', Buffer.from('a hash'));
      engine.commands.answer('main', async (name) => Buffer.from(`did ${name}`));

      const edge = await open('edge');
      buses.push(edge);
      const known: string[] = [];
      const seen = await edge.shard('main');
      const following = seen.follow(0, ({ bytes }) => void known.push(Buffer.from(bytes).toString()));
      await eventually('the edge has the block', () => known.length === 1);
      assert.deepEqual(known, ['a block']);
      assert.equal((await edge.snapshots.newest('main'))?.place, writer.place);
      const answer = await edge.commands.ask('main', 'claim', Buffer.from(''));
      assert.equal(Buffer.from(answer).toString(), 'did claim');
      await edge.shared('members').set('edge-1', Buffer.from('here'));

      const { last } = await shard.ends();
      await assert.rejects(seen.beginTerm(lease.term + 1, last), { code: 'BUS_RIGHTS' });
      await assert.rejects(edge.shared('keys').set('key', Buffer.from('another')), { code: 'BUS_RIGHTS' });
      await assert.rejects(edge.leases.campaign('main', 'edge', new AbortController().signal), {
        code: 'BUS_RIGHTS',
      });
      await assert.rejects(edge.snapshots.save('main', last + 1, [Buffer.from('mine')]), {
        code: 'BUS_RIGHTS',
      });
      assert.deepEqual(await shard.ends(), { first: 1, last });
      await edge.shared('members').remove('edge-1');
      await following.stop();
    } finally {
      await Promise.all(buses.map((bus) => bus.close()));
    }
  });

  it('lets an edge see that all servers sync every write and hold a current copy', async () => {
    await (await open('engine')).close();
    await eventually('all copies are current', async () => {
      const { streams } = JSON.parse((await status(as('edge'))).stdout);
      return streams.every(({ currentCopies }: { currentCopies: number }) => currentCopies === 3);
    });
    const { stdout } = await status(as('edge'));
    const { servers: told, streams } = JSON.parse(stdout);
    assert.deepEqual(
      told.map(({ name, isOld, syncsEveryWrite }: Record<string, unknown>) => [name, isOld, syncsEveryWrite]),
      servers.map(({ name }) => [name, false, true]),
    );
    for (const { copies, currentCopies } of streams) assert.deepEqual([copies, currentCopies], [3, 3]);
  });

  it('is shown on the page as it is', () => {
    const page = readFileSync(join(DEPLOY, '../operating.md'), 'utf8');
    assert.ok(page.includes(readFileSync(join(DEPLOY, 'nats-server.conf'), 'utf8').trim()));
  });
});
