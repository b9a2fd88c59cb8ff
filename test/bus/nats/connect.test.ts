import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '../../../src/bus/bus.ts';
import { BusError, type BusErrorCode } from '../../../src/bus/bus-error.ts';
import { connectNats, type NatsOptions } from '../../../src/bus/nats/connect.ts';
import { openNatsBus } from '../../../src/bus/nats/open-nats-bus.ts';
import { administer } from '../../support/bus/administer.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../../support/bus/nats-server.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';

const ENGINE: NatsOptions['role'] = { type: 'engine', replicas: 1 };

const open = (servers: string, options: Partial<NatsOptions> = {}): Promise<Bus> =>
  openNatsBus({ servers, env: {}, name: 'test', role: ENGINE, report: () => undefined, ...options });

/** The one sentence of the failure. */
async function refusal(code: BusErrorCode, opening: Promise<Bus>): Promise<string> {
  const failure = await opening.then(
    async (bus) => {
      await bus.close();
      return new Error('it was opened');
    },
    (error: unknown) => error,
  );
  assert.ok(failure instanceof BusError, String(failure));
  assert.equal(failure.code, code, failure.message);
  assert.match(failure.message, /^[^\n]{20,200}$/);
  return failure.message;
}

/** Greets like a NATS server of some version, and answers pings. */
async function withGreeting(version: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((socket) => {
    const info = {
      server_id: 'x',
      version,
      proto: 1,
      headers: true,
      max_payload: 1_048_576,
      jetstream: true,
    };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    assert.ok(address !== null && typeof address !== 'string');
    await use(`nats://127.0.0.1:${address.port}`);
  } finally {
    server.close();
  }
}

describe('connectNats', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tallywire-bus-'));
  const servers: NatsServer[] = [];
  const start = async (options: Parameters<typeof createNatsServer>[0]): Promise<NatsServer> => {
    const server = await createNatsServer(options);
    servers.push(server);
    await server.start();
    return server;
  };
  before(function () {
    requireNatsServer(this);
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.remove()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses what is no address, and one that holds a secret, without repeating the secret', async () => {
    assert.match(await refusal('BUS_ADDRESS', open('http://localhost:4222')), /http:\/\/localhost:4222/);
    assert.match(await refusal('BUS_ADDRESS', open('nats://a:4222,')), /such as nats:\/\/host:4222/);
    const secret = await refusal('BUS_ADDRESS', open('nats://me:hunter2@localhost:4222'));
    assert.doesNotMatch(secret, /hunter2/);
  });

  it('says where no server answers', async () => {
    const url = `nats://127.0.0.1:${await freePort()}`;
    assert.match(await refusal('BUS_UNREACHABLE', open(url)), new RegExp(`${url}.*refused`));
  });

  it('refuses an old server for an engine, and warns an edge of it', async () => {
    await withGreeting('2.10.22', async (url) => {
      assert.match(await refusal('BUS_SERVER_OLD', open(url)), /2\.10\.22.*2\.10\.23/);
      const warnings: unknown[] = [];
      const report = (error: unknown) => void warnings.push(error instanceof BusError ? error.code : error);
      const edge = await connectNats({ servers: url, env: {}, name: 'test', role: { type: 'edge' }, report });
      await edge.close();
      assert.deepEqual(warnings, ['BUS_SERVER_OLD']);
    });
  });

  it('says when a server keeps no streams', async () => {
    const { url } = await start({ hasJetStream: false });
    await refusal('BUS_NO_JETSTREAM', open(url));
  });

  it('reads credentials from the environment, and says when they are wrong or there are two', async () => {
    const { url } = await start({ config: 'authorization { user: engine, password: "right" }' });
    await refusal('BUS_CREDENTIALS', open(url));
    const env = { TALLYWIRE_BUS_USER: 'engine', TALLYWIRE_BUS_PASSWORD: 'wrong' };
    assert.doesNotMatch(await refusal('BUS_CREDENTIALS', open(url, { env })), /wrong/);
    await refusal('BUS_CREDENTIALS', open(url, { env: { ...env, TALLYWIRE_BUS_TOKEN: 't' } }));
    const missing = { TALLYWIRE_BUS_CREDS: join(folder, 'none.creds') };
    assert.match(
      await refusal('BUS_CREDENTIALS', open(url, { env: missing })),
      /none\.creds.*TALLYWIRE_BUS_CREDS/,
    );
    const bus = await open(url, { env: { ...env, TALLYWIRE_BUS_PASSWORD: 'right' } });
    await bus.close();
  });

  it('says which right is missing', async () => {
    const { url } = await start({
      config: `authorization { users: [
        { user: engine, password: x }
        { user: edge, password: x, permissions: { publish: ["$JS.API.STREAM.INFO.>"], subscribe: ["_INBOX.>"] } }
        { user: nobody, password: x, permissions: { publish: ["none"] } }
      ] }`,
    });
    const as = (user: string) => ({ TALLYWIRE_BUS_USER: user, TALLYWIRE_BUS_PASSWORD: 'x' });
    const engine = await open(url, { env: as('engine') });
    await engine.close();
    const nobody = await refusal('BUS_RIGHTS', open(url, { env: as('nobody') }));
    assert.match(nobody, /publish.*\$JS\.API\.STREAM\.INFO\.KV_tallywire_values/);
    await refusal('BUS_RIGHTS', open(url, { env: as('edge'), role: { type: 'edge' } }));
  });

  it('needs the rights that its page names, and an edge with them cannot write', async () => {
    const page = readFileSync(join(process.cwd(), 'src/bus/README.md'), 'utf8');
    const [, engines = '', edges = ''] =
      /^An engine needs the right([\s\S]*?)^An edge only reads([\s\S]*?)Both subscribe/m.exec(page) ?? [];
    const subjectsIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, subject]) => subject);
    const permissions = (publish: readonly (string | undefined)[], subscribe: readonly string[]) =>
      JSON.stringify({ publish, subscribe });
    const { url } = await start({
      config: `authorization { users: [
        { user: engine, password: x, permissions: ${permissions(subjectsIn(engines), ['_INBOX.>', 'tallywire.command.>'])} }
        { user: edge, password: x, permissions: ${permissions(subjectsIn(edges), ['_INBOX.>'])} }
      ] }`,
    });
    const as = (user: string) => ({ TALLYWIRE_BUS_USER: user, TALLYWIRE_BUS_PASSWORD: 'x' });
    const engine = await open(url, { env: as('engine') });
    const edge = await (async () => {
      await engine.shard('main');
      return open(url, { env: as('edge'), role: { type: 'edge' } });
    })();
    try {
      const lease = await engine.leases.campaign('main', 'engine', new AbortController().signal);
      const writer = await (await engine.shard('main')).beginTerm(lease.term, 0);
      assert.ok(writer !== 'behind');
      await writer.append({ kind: 'log', bytes: Buffer.from('a') });
      await engine.shared('keys').set('one', Buffer.from('1'));
      await engine.snapshots.save('main', writer.place, [Buffer.from('snapshot')]);
      engine.commands.answer('main', async (name) => Buffer.from(name));

      const shard = await edge.shard('main');
      const known: string[] = [];
      const following = shard.follow(0, ({ kind }) => void known.push(kind));
      const watching = edge.shared('keys').watch(({ type }) => void known.push(type));
      await eventually('both are known', () => known.length === 2);
      assert.equal((await edge.snapshots.newest('main'))?.place, writer.place);
      assert.equal(
        Buffer.from(await edge.commands.ask('main', 'claim', Buffer.from(''))).toString(),
        'claim',
      );
      await edge.shared('members').set('edge', Buffer.from('here'));
      await assert.rejects(shard.beginTerm(2, writer.place), { code: 'BUS_RIGHTS' });
      await assert.rejects(edge.shared('keys').set('two', Buffer.from('2')), { code: 'BUS_RIGHTS' });
      await Promise.all([following.stop(), watching.stop()]);
    } finally {
      await Promise.all([engine.close(), edge.close()]);
    }
  });

  it('refuses streams of another program, layout or cluster, and too few replicas, and touches nothing', async () => {
    const { url } = await start({});
    const foreign = { name: 'KV_tallywire_values', subjects: ['$KV.tallywire_values.>'] };
    await administer(url, (jsm) => jsm.streams.add({ ...foreign, description: 'mine' }));
    assert.match(await refusal('BUS_LAYOUT', open(url)), /KV_tallywire_values/);
    await administer(url, (jsm) => jsm.streams.update(foreign.name, { description: 'tallywire layout=2' }));
    assert.match(await refusal('BUS_LAYOUT', open(url)), /layout 2.*layout 1/);
    await administer(url, (jsm) => jsm.streams.update(foreign.name, { description: 'tallywire layout=1' }));
    assert.match(await refusal('BUS_LAYOUT', open(url)), /settings/);
    const { messages } = await administer(url, async (jsm) => {
      const { state } = await jsm.streams.info(foreign.name);
      await jsm.streams.delete(foreign.name);
      return state;
    });
    assert.equal(messages, 0);

    await administer(url, (jsm) =>
      jsm.streams.add({ name: 'OTHER', subjects: ['$KV.tallywire_values.epoch'] }),
    );
    assert.match(await refusal('BUS_LAYOUT', open(url)), /subjects/);
    await administer(url, (jsm) => jsm.streams.delete('OTHER'));

    const three = { role: { type: 'engine', replicas: 3 } } as const;
    assert.match(await refusal('BUS_REPLICAS', open(url, three)), /3 replicas/);
    const first = await open(url);
    await first.shard('main');
    await first.close();
    assert.match(await refusal('BUS_REPLICAS', open(url, three)), /1 of the 3/);
    await administer(url, (jsm) => jsm.streams.delete('KV_tallywire_values'));
    assert.match(await refusal('BUS_OTHER_CLUSTER', open(url)), new RegExp(first.epoch));
  });

  it('speaks TLS, and trusts only who it is told to', async () => {
    const file = (name: string) => join(folder, name);
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        file('key.pem'),
        '-out',
        file('cert.pem'),
      ],
      { stdio: 'ignore' },
    );
    const { url } = await start({
      config: `tls { cert_file: "${file('cert.pem')}", key_file: "${file('key.pem')}" }`,
    });
    const secure = url.replace('nats:', 'tls:');
    assert.match(await refusal('BUS_UNREACHABLE', open(secure)), /certificate/);
    const bus = await open(secure, { env: { TALLYWIRE_BUS_CA: file('cert.pem') } });
    assert.equal(bus.isConnected(), true);
    await bus.close();
    await refusal('BUS_CREDENTIALS', open(secure, { env: { TALLYWIRE_BUS_CERT: file('cert.pem') } }));
  });
});
