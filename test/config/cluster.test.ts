import assert from 'node:assert/strict';
import { type ConfigInput, parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/errors.ts';

const parse = (flags: ConfigInput['flags'], env: ConfigInput['env'] = {}) =>
  parseConfig({ flags, env }).cluster;

function faultsOf(flags: ConfigInput['flags']): readonly string[] {
  try {
    parse(flags);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  }
  return [];
}

const WORLD = { world: 'http://127.0.0.1:9000' };

describe('the configuration of a cluster', () => {
  it('is none without a bus', () => {
    assert.equal(parse({}), null);
    assert.equal(parse({ shard: 'west' }), null);
  });

  it('has an engine for each role but that of an edge', () => {
    const bus = 'nats://a:4222, nats://b';
    const engine = {
      servers: 'nats://a:4222,nats://b',
      shard: 'main',
      callersShard: undefined,
      replicas: 1,
      credentials: {},
    };
    assert.deepEqual(parse({ ...WORLD, bus }), { ...engine, role: 'engine' });
    assert.deepEqual(parse({ ...WORLD, bus, role: 'engine', shard: 'west-1', busReplicas: '3' }), {
      ...engine,
      role: 'engine',
      shard: 'west-1',
      replicas: 3,
    });
    assert.deepEqual(parse({ ...WORLD, bus, callersShard: 'west' }), {
      ...engine,
      role: 'engine',
      callersShard: 'west',
    });
    assert.deepEqual(parse({ bus, role: 'edge' }), { ...engine, role: 'edge' });
  });

  it('takes credentials from the environment alone', () => {
    const env = { TALLYWIRE_BUS_TOKEN: 'secret', TALLYWIRE_BUS_CA: '/ca.pem', TALLYWIRE_BUS_NKEY: '' };
    assert.deepEqual(parse({ ...WORLD, bus: 'tls://a' }, env)?.credentials, {
      TALLYWIRE_BUS_TOKEN: 'secret',
      TALLYWIRE_BUS_CA: '/ca.pem',
    });
    assert.deepEqual(faultsOf({ busToken: 'secret' }), ['--bus-token: unknown setting']);
  });

  it('needs a bus for any other role than all', () => {
    for (const role of ['engine', 'edge']) {
      assert.deepEqual(faultsOf({ role }), [
        `--role: expected all, as a process that is only an ${role} needs the others: name their bus with --bus`,
      ]);
    }
  });

  it('needs a world that all engines can read, and none for an edge', () => {
    const bus = 'nats://a';
    assert.match(faultsOf({ bus })[0] ?? '', /^--world: expected live or the address/);
    assert.deepEqual(faultsOf({ bus, ...WORLD }), []);
    assert.deepEqual(faultsOf({ bus, role: 'edge' }), []);
  });

  it('tells all faults at once', () => {
    const faults = faultsOf({ role: 'boss', bus: 'http://a', shard: 'a b', busReplicas: '2' });
    assert.deepEqual(
      faults.map((fault) => fault.split(':', 1)[0]),
      ['--role', '--bus', '--shard', '--bus-replicas'],
    );
  });
});
