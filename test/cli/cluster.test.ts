import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Bus, ShardWriter } from '../../src/bus/bus.ts';
import { openNatsBus } from '../../src/bus/nats/open-nats-bus.ts';
import { runProgram } from '../../src/cli/program.ts';
import { encodeMember, type Member } from '../../src/cluster/entries/member.ts';
import { encodeRegistration } from '../../src/cluster/entries/shard-registration.ts';
import type { MemberStatus } from '../../src/cluster/status/cluster-status.ts';
import { administer } from '../support/bus/administer.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../support/bus/nats-server.ts';
import { STANDBY } from '../support/cluster/member.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { memoryProcess } from './memory-process.ts';

describe('tallywire cluster status', () => {
  let server: NatsServer;
  let locked: NatsServer;
  const buses: Bus[] = [];
  before(async function () {
    requireNatsServer(this);
    server = await createNatsServer();
    locked = await createNatsServer({
      config: 'authorization { users: [{ user: nobody, password: x, permissions: { publish: ["none"] } }] }',
    });
    await Promise.all([server.start(), locked.start()]);
  });
  afterEach(async () => {
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
    await server.wipe();
    await server.start();
  });
  after(() => Promise.all([server.remove(), locked.remove()]));

  async function run(url: string, { isTTY = false, env = {} } = {}, ...args: readonly string[]) {
    const proc = { ...memoryProcess(isTTY), env };
    const code = await runProgram(
      ['cluster', 'status', ...(url === '' ? [] : ['--bus', url]), ...args],
      proc,
    );
    return { code, ...proc.texts };
  }

  async function join(): Promise<Bus> {
    const bus = await openNatsBus({
      servers: server.url,
      env: {},
      name: 'engine',
      role: { type: 'engine', replicas: 1 },
      report: () => undefined,
    });
    buses.push(bus);
    return bus;
  }

  /** Begins a cluster with one shard, whose leader has appended so many entries. */
  async function lead(entries: number): Promise<{ bus: Bus; writer: ShardWriter; release(): Promise<void> }> {
    const bus = await join();
    const shard = await bus.shard('main');
    const lease = await bus.leases.campaign('main', 'engine-a-1', new AbortController().signal);
    const writer = await shard.beginTerm(lease.term, 0);
    assert.ok(writer !== 'behind');
    for (let n = 0; n < entries; n++) await writer.append({ kind: 'log', bytes: Buffer.from(`${n}`) });
    await bus
      .shared('shards')
      .set('main', encodeRegistration({ accounts: [], staleAfterMs: LIMITS, since: 1 }));
    return { bus, writer, release: () => lease.release() };
  }
  const LIMITS = { crypto: 1, events: 1, posts: 1, oracle: 1, ui: 1, prices: 1 };
  const tell = (bus: Bus, name: string, member: Partial<Member>) =>
    bus.shared('members').set(name, encodeMember({ ...STANDBY, ...member }));

  it('tells who leads, and how far standbys and edges are behind', async () => {
    const { bus, writer } = await lead(9);
    const { place } = writer;
    await tell(bus, 'engine-a', { state: 'leader', term: 1, place, seq: 90, digest: 'x' });
    await tell(bus, 'engine-b', { place, seq: 90, digest: 'x', lagMs: 12 });
    await tell(bus, 'edge-c', {
      role: 'edge',
      state: 'edge',
      shard: null,
      place: null,
      seq: null,
      digest: null,
      shards: [{ shard: 'main', place: place - 4, lagMs: 700 }],
    });
    // What comes later than their words makes nobody late.
    const toldAt = Date.now();
    await eventually('the clock has moved on', () => Date.now() > toldAt + 1);
    await writer.append({ kind: 'feed', bytes: Buffer.from('later') });
    const { code, stdout, stderr } = await run(server.url);
    assert.equal(stderr, '');
    const { type, epoch, servers, streams, shards, members, warnings } = JSON.parse(stdout);
    assert.deepEqual([type, epoch, warnings, code], ['cluster', bus.epoch, [], 0]);
    assert.deepEqual(
      servers.map(({ isOld, syncsEveryWrite }: Record<string, unknown>) => [isOld, syncsEveryWrite]),
      [[false, null]],
    );
    assert.deepEqual(
      streams.map(({ name, copies, currentCopies }: Record<string, unknown>) => [
        name,
        copies,
        currentCopies,
      ]),
      [
        ['KV_tallywire_values', 1, 1],
        ['KV_tallywire_snapshots', 1, 1],
        ['TALLYWIRE_shard_main', 1, 1],
      ],
    );
    const [{ leader, term, seq, place: end }] = shards;
    assert.deepEqual([leader, term, seq, end], ['engine-a', 1, 90, place + 1]);
    assert.deepEqual(
      members.map(({ name, state, isSilent, shards: [of] }: MemberStatus) => [name, state, isSilent, of]),
      [
        ['edge-c', 'edge', false, { shard: 'main', place: place - 4, behindPlaces: 4, lagMs: 700 }],
        ['engine-a', 'leader', false, { shard: 'main', place, behindPlaces: 0, lagMs: 0 }],
        ['engine-b', 'standby', false, { shard: 'main', place, behindPlaces: 0, lagMs: 12 }],
      ],
    );
  });

  it('tells what needs a look, and ends with 3', async () => {
    const { bus, writer, release } = await lead(1);
    await tell(bus, 'engine-a', { state: 'leader', term: 1, place: writer.place, seq: 5, digest: 'x' });
    await tell(bus, 'engine-b', { alarm: 'this engine will not take over', seq: 5, digest: 'y' });
    await tell(bus, 'edge-c', {
      role: 'edge',
      state: 'edge',
      shard: null,
      place: null,
      shards: [{ shard: 'main', place: 1, lagMs: 6_000 }],
    });
    await release();
    const { code, stdout } = await run(server.url, {}, '--json');
    assert.equal(code, 3);
    assert.deepEqual(JSON.parse(stdout).warnings, [
      'no engine leads the shard main: term 1, its last leader stopped in order',
      'the edge edge-c on machine-1 is 6.0 s behind the shard main',
      'the engine engine-b on machine-1: this engine will not take over',
      'the logs of engine-a and engine-b differ, though both end at seq 5 of the shard main',
    ]);
  });

  it('prints tables on a terminal', async () => {
    const { bus, writer } = await lead(1);
    await tell(bus, 'engine-a', { state: 'leader', term: 1, place: writer.place, seq: 7 });
    const { code, stdout } = await run(server.url, { isTTY: true });
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.match(lines[0] ?? '', new RegExp(`^cluster ${bus.epoch}, asked at 127\\.0\\.0\\.1:\\d+$`));
    assert.ok(
      lines.some((line) => /^n0 +\S+ +not told by the server$/.test(line)),
      stdout,
    );
    assert.ok(
      lines.some((line) => /^main +engine-a +1 +\d\.\d s ago +2 +7 +-$/.test(line)),
      stdout,
    );
    assert.ok(
      lines.some((line) => /^engine-a +machine-1 +leader +main +2 +- +- +\d\.\d s ago +1\.0\.0$/.test(line)),
      stdout,
    );
    assert.equal(lines.at(-2), 'Nothing needs a look.');
  });

  it('says in one sentence with a code why it cannot look, and touches nothing', async () => {
    const refused = async (code: string, url: string, env = {}) => {
      const { code: exit, stdout, stderr } = await run(url, { env });
      assert.deepEqual([exit, stdout], [1, '']);
      assert.match(stderr, new RegExp(`^tallywire: [^\\n]{20,250} \\(${code}\\)\\n$`));
      return stderr;
    };
    const closed = `nats://127.0.0.1:${await freePort()}`;
    assert.match(await refused('BUS_UNREACHABLE', closed), new RegExp(closed));
    await refused('BUS_CREDENTIALS', locked.url);
    const nobody = { TALLYWIRE_BUS_USER: 'nobody', TALLYWIRE_BUS_PASSWORD: 'x' };
    assert.match(await refused('BUS_RIGHTS', locked.url, nobody), /STREAM\.INFO\.KV_tallywire_values/);
    await refused('BUS_EMPTY', server.url);
    assert.deepEqual(await administer(server.url, (jsm) => jsm.streams.names().next()), []);
    const foreign = { name: 'KV_tallywire_values', subjects: ['$KV.tallywire_values.>'] };
    await administer(server.url, (jsm) => jsm.streams.add({ ...foreign, description: 'mine' }));
    await refused('BUS_LAYOUT', server.url);
  });

  it('refuses a stream of another cluster', async () => {
    const { bus } = await lead(1);
    await administer(server.url, (jsm) =>
      jsm.streams.update('TALLYWIRE_shard_main', { description: 'tallywire layout=1 cluster=elsewhere' }),
    );
    const { code, stderr } = await run(server.url);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`elsewhere.*${bus.epoch} \\(BUS_OTHER_CLUSTER\\)\n$`));
  });

  it('refuses an old server', async () => {
    const old = createServer((socket) => {
      socket.write(
        `INFO ${JSON.stringify({ server_id: 'x', version: '2.9.10', proto: 1, headers: true })}\r\n`,
      );
      socket
        .on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'))
        .on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(old, 'listening');
    const address = old.address();
    assert.ok(address !== null && typeof address !== 'string');
    const { code, stderr } = await run(`nats://127.0.0.1:${address.port}`);
    assert.equal(code, 1);
    assert.match(stderr, /2\.9\.10.*2\.10\.23.* \(BUS_SERVER_OLD\)\n$/);
    old.close();
  });

  it('needs an address', async () => {
    const { code, stderr } = await run('');
    assert.equal(code, 2);
    assert.match(stderr, /^tallywire: --bus: expected the addresses/);
  });
});
