import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Config, type ConfigInput, parseConfig, parseSettings } from '../../src/config/config.ts';
import { envOf, flagOf, SETTING_KEYS, SETTINGS } from '../../src/config/settings.ts';
import { ConfigError } from '../../src/errors.ts';

function faultsOf(input: Partial<ConfigInput>): string[] {
  try {
    parseConfig({ flags: {}, env: {}, ...input });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  }
  return [];
}

const parse = (input: Partial<ConfigInput>): Config => parseConfig({ flags: {}, env: {}, ...input });

describe('parseConfig', () => {
  it('has a default for everything', () => {
    assert.deepEqual(parse({}), {
      port: 8080,
      host: '127.0.0.1',
      data: '.tallywire',
      cluster: null,
      world: { type: 'embedded', seed: 1, accounts: 2, speed: 1 },
      posts: {
        via: 'timeline',
        periodMs: 1_000,
        recheckPeriodMs: 299_000,
        listPeriodMs: 21_000,
        listStaleAfterMs: 600_000,
        deletionsPeriodMs: 29_000,
        deletionsHorizonMs: 86_400_000,
        usdPer1000Reads: 5,
      },
      // Described in the tests of accounts.
      accounts: parse({}).accounts,
      retentionDays: 90,
      diskReserveMb: 16,
      usageRetentionDays: 90,
      historyDays: 100,
      checkpointSeconds: 300,
      drainSeconds: 0,
      trustedProxies: [],
      connectionsPerAddress: 4_096,
      feed: {
        connections: 12_000,
        perAddress: 20,
        perKey: 5,
        connectsPerMinute: 60,
        replayBytesPerMinute: 60_000_000,
      },
      trafficPerMinute: 240_000_000,
      unsentMegabytes: 8,
      metrics: null,
      staleAfterMs: {
        posts: 10_000,
        oracle: 900_000,
        ui: 300_000,
        prices: 60_000,
        events: 180_000,
        crypto: 60_000,
      },
      payments: { type: 'off' },
      alerts: { rules: [], toPrivate: false },
      showPosts: false,
      logLevel: 'info',
      json: false,
    });
  });

  it('lets a flag win over the environment, and that over the file', () => {
    const flags = { port: '1' };
    const env = { TALLYWIRE_PORT: '2', PORT: '3' };
    const file = { port: 4 };
    assert.equal(parse({ flags, env, file }).port, 1);
    assert.equal(parse({ env, file }).port, 2);
    assert.equal(parse({ env: { PORT: '3' }, file }).port, 3);
    assert.equal(parse({ file }).port, 4);
    assert.equal(parse({ file, defaults: { port: 5 } }).port, 4);
    assert.equal(parse({ defaults: { port: 5 } }).port, 5);
  });

  it('takes every setting from each of the three places', () => {
    const fitting: Readonly<Record<string, string>> = {
      role: 'edge',
      bus: 'nats://127.0.0.1:9',
      busReplicas: '3',
      world: 'http://localhost:9',
      logLevel: 'debug',
      postsFrom: 'oracle_list',
      deletionsHours: '7',
      json: 'true',
      showPosts: 'true',
      feed: 'false',
      drainSeconds: '7',
      trustedProxies: '10.0.0.0/8, ::1',
      payments: 'demo',
      alerts: '[]',
      alertsToPrivate: 'true',
      paymentPrices: 'signals=0.02',
      paymentNetwork: 'eip155:84532',
      paymentAsset: `0x${'1'.repeat(40)}`,
      paymentPayTo: `0x${'2'.repeat(40)}`,
      paymentFacilitator: 'https://facilitator.invalid/x402',
      paymentNode: 'https://node.invalid/',
    };
    for (const key of SETTING_KEYS) {
      const value = fitting[key] ?? '77';
      const found = (input: Partial<ConfigInput>) =>
        parseSettings([key], { flags: {}, env: {}, ...input })[key];
      const usual = found({});
      const set = found({ env: { [envOf(key)]: value } });
      assert.notEqual(set, usual, key);
      assert.deepEqual(found({ file: { [key]: value } }), set, key);
      if (!('isSecret' in SETTINGS[key])) assert.equal(found({ flags: { [key]: value } }), set, key);
    }
  });

  it('counts an empty variable as not given', () => {
    assert.equal(parse({ env: { TALLYWIRE_PORT: '', PORT: '' } }).port, 8080);
  });

  it('knows three kinds of world', () => {
    assert.deepEqual(parse({ flags: { seed: '7', accounts: '20', speed: '60' } }).world, {
      type: 'embedded',
      seed: 7,
      accounts: 20,
      speed: 60,
    });
    assert.deepEqual(parse({ flags: { world: 'http://127.0.0.1:9000/' } }).world, {
      type: 'remote',
      url: 'http://127.0.0.1:9000',
    });
    const env = { TALLYWIRE_WORLD: 'live', TALLYWIRE_POSTS_TOKEN: 'abc' };
    assert.deepEqual(parse({ env }).world, { type: 'live', postsToken: 'abc' });
  });

  it('takes proxies as a text or a list', () => {
    const networks = ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'];
    assert.deepEqual(parse({ flags: { trustedProxies: networks.join(', ') } }).trustedProxies, networks);
    assert.deepEqual(parse({ file: { trustedProxies: networks } }).trustedProxies, networks);
  });

  it('names two accounts of one segment where the second was given', () => {
    const fault = "expected another segment than that of account a, found 'Account_A'";
    const same = { accountB: 'Account_A' };
    assert.deepEqual(faultsOf({ flags: same }), [`--account-b: ${fault}`]);
    assert.deepEqual(faultsOf({ env: { TALLYWIRE_ACCOUNT_B: 'Account_A' } }), [
      `TALLYWIRE_ACCOUNT_B: ${fault}`,
    ]);
    assert.deepEqual(faultsOf({ file: same }), [`config file: accountB: ${fault}`]);
    assert.deepEqual(faultsOf({ env: { TALLYWIRE_ACCOUNT_A: 'account_b' } }), [
      "TALLYWIRE_ACCOUNT_A: expected another segment than that of account b, found 'account_b'",
    ]);
  });

  it('asks for a token when posts have to come from the live timeline', () => {
    assert.deepEqual(faultsOf({ flags: { world: 'live', postsFrom: 'timeline' } }), [
      'TALLYWIRE_POSTS_TOKEN: expected the app token of the posts API, as posts are read from the live timeline',
    ]);
  });

  it('reads live posts from the oracle’s list without a token, and from the timeline with one', () => {
    const env = { TALLYWIRE_WORLD: 'live' };
    const withToken = { ...env, TALLYWIRE_POSTS_TOKEN: 'abc' };
    assert.equal(parse({ env }).posts.via, 'oracle_list');
    assert.equal(parse({ env: withToken }).posts.via, 'timeline');
    assert.equal(parse({ env: withToken, flags: { postsFrom: 'oracle_list' } }).posts.via, 'oracle_list');
    assert.equal(parse({}).posts.via, 'timeline');
    assert.equal(parse({ flags: { postsFrom: 'oracle_list' } }).posts.via, 'oracle_list');
  });

  it('gives posts of the oracle’s list a limit of their own, which is never a few seconds', () => {
    const limit = (flags: Record<string, string>) => parse({ flags }).staleAfterMs.posts;
    assert.equal(limit({}), 10_000);
    assert.equal(limit({ postsFrom: 'oracle_list' }), 600_000);
    assert.equal(
      limit({ postsFrom: 'oracle_list', staleSecondsPosts: '5', staleSecondsPostsList: '900' }),
      900_000,
    );
    assert.equal(faultsOf({ flags: { staleSecondsPostsList: '10' } }).length, 1);
  });

  it('takes the periods and the price of reading posts', () => {
    const flags = {
      postsSeconds: '2',
      postsRecheckSeconds: '600',
      postsListSeconds: '30',
      deletionsSeconds: '60',
      deletionsHours: '12',
      postsReadPrice: '0.25',
    };
    assert.deepEqual(parse({ flags }).posts, {
      via: 'timeline',
      periodMs: 2_000,
      recheckPeriodMs: 600_000,
      listPeriodMs: 30_000,
      listStaleAfterMs: 600_000,
      deletionsPeriodMs: 60_000,
      deletionsHorizonMs: 43_200_000,
      usdPer1000Reads: 0.25,
    });
    assert.equal(parse({ flags: { postsReadPrice: '0' } }).posts.usdPer1000Reads, 0);
    assert.deepEqual(faultsOf({ env: { TALLYWIRE_POSTS_READ_PRICE: '-1' } }), [
      "TALLYWIRE_POSTS_READ_PRICE: expected an amount from 0 to 1000000, such as 0.5, found '-1'",
    ]);
  });

  it('never echoes a secret, and takes none from the command line', () => {
    const token = 'se\ncret';
    const faults = [
      ...faultsOf({ env: { TALLYWIRE_WORLD: 'live', TALLYWIRE_POSTS_TOKEN: token } }),
      ...faultsOf({ file: { world: 'live', postsToken: token } }),
      ...faultsOf({ flags: { world: 'live', postsToken: token } }),
      ...faultsOf({ env: { TALLYWIRE_POSTS_TOKN: token } }),
    ];
    assert.equal(faults.length, 4);
    for (const fault of faults) assert.doesNotMatch(fault, /cret/);
  });

  it('lists every fault at once', () => {
    const faults = faultsOf({
      flags: { port: 'x', colour: 'red' },
      env: { TALLYWIRE_PROT: '1', TALLYWIRE_RETENTION_DAYS: '1', HOME: '/', TALLYWIRE_CONFIG: 'f.json' },
      file: { acountA: 'x', accountA: 'Crypto', host: 3, json: 'maybe' },
    });
    assert.deepEqual(faults.toSorted(), [
      '--colour: unknown setting',
      "--port: expected an integer from 0 to 65535, found 'x'",
      'TALLYWIRE_PROT: unknown setting, did you mean TALLYWIRE_PORT',
      "TALLYWIRE_RETENTION_DAYS: expected an integer from 2 to 3650, found '1'",
      "config file: accountA: expected up to 64 letters, digits, _ and -, and not crypto, found 'Crypto'",
      'config file: acountA: unknown setting, did you mean accountA',
      'config file: host: expected a host name or address, found 3',
      "config file: json: expected true or false, found 'maybe'",
    ]);
  });

  it('reports a long list in one line', () => {
    const [fault, ...others] = faultsOf({ file: { port: [1, 2, 3, 4, 5, 6, 7, 8] } });
    assert.deepEqual(others, []);
    assert.match(fault ?? '', /found \[ ?1, 2, 3, 4, 5, 6, 7, 8 ?\]$/);
  });

  const refused: [key: string, values: unknown[]][] = [
    ['port', [-1, 65_536, 1.5, '1.5', '', ' 1', '0x10', '1e3', null, true, [1], Number.NaN]],
    ['seed', [-1, 2 ** 32]],
    ['accountA', ['', 'a b', 'a/b', 'crypto', 'CRYPTO', 'ä', 'a'.repeat(65), 5]],
    ['accountB', ['account_a', 'ACCOUNT_A']],
    ['world', ['', 'lively', 'ftp://x', 'http://', 'http://h/path', 'http://h?q', 'http://u:p@h', 'h:80']],
    ['role', ['leader', '', 'engine', 'edge']],
    [
      'bus',
      ['', 'a:4222', 'http://a', 'nats://', 'nats://u:p@a', 'nats://a/path', 'nats://a,', 'nats://a,b', 5],
    ],
    ['shard', ['', 'a.b', 'a b', 'a'.repeat(65), 5]],
    ['callersShard', ['', 'a.b', 'a b', 5]],
    ['busReplicas', [0, 2, 4, 7, 'three', '', null]],
    ['data', ['', 'a\0b', 'a\nb']],
    ['checkpointSeconds', [0, 86_401]],
    ['drainSeconds', [-1, 16]],
    ['trustedProxies', ['', 'proxy', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/8,', '1.2.3.4/x', 5]],
    ['connectionsPerAddress', [0, 15_001]],
    ['payments', ['yes', true]],
    ['paymentPrice', ['0', '0.000', '-1', '1e3', '0.0000001', '.5', '1000000.0.0']],
    ['paymentPrices', ['signals', 'signals=0', '/signals=1', 'a=1,', 'a=1=2']],
    ['paymentNetwork', ['eip155', 'eip155:0', 'base', 'eip155:1:2']],
    ['paymentAsset', ['0x1', `0x${'g'.repeat(40)}`]],
    [
      'paymentFacilitator',
      ['http://facilitator.invalid', 'ftp://a.invalid', 'https://a.invalid/?x', 'https://u:p@a.invalid', 'x'],
    ],
    ['logLevel', ['loud', 'INFO']],
    ['json', ['yes', 1]],
  ];
  for (const [key, values] of refused) {
    it(`refuses ${key} when it is one of ${values.length} wrong values`, () => {
      for (const value of values)
        assert.equal(faultsOf({ flags: { [key]: value } }).length, 1, String(value));
    });
  }

  it('wants a JSON object in the file', () => {
    for (const file of [null, [], 'text', 5]) {
      assert.deepEqual(faultsOf({ file }), ['config file: expected a JSON object of settings']);
    }
  });

  it('throws nothing but a ConfigError, and freezes what it returns, whatever it is given', () => {
    const key = fc.oneof(fc.constantFrom<string>(...SETTING_KEYS), fc.string());
    const name = fc.oneof(
      fc.constantFrom(...SETTING_KEYS.map(envOf), 'PORT'),
      fc.string().map((s) => `TALLYWIRE_${s}`),
    );
    const value = fc.oneof(
      fc.constantFrom('live', 'true', '80', 'account_b', 3),
      fc.anything({ withBigInt: true, withDate: true }),
    );
    const input = fc.record(
      {
        flags: fc.dictionary(key, value),
        env: fc.dictionary(name, fc.string()),
        file: fc.oneof(fc.dictionary(key, value), fc.anything()),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(input, (given) => {
        try {
          const config = parseConfig(given);
          assert.ok(
            Object.isFrozen(config) && Object.isFrozen(config.accounts[0]) && Object.isFrozen(config.world),
          );
        } catch (error) {
          assert.ok(error instanceof ConfigError, String(error));
          assert.ok(error.faults.length > 0);
          for (const { msg } of error.faults) assert.doesNotMatch(msg, /\n/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('parseSettings', () => {
  it('reads only the settings named, and refuses unknown names', () => {
    const env = { TALLYWIRE_DATA: 'here', TALLYWIRE_PORT: 'nonsense', TALLYWIRE_WORLD: 'live' };
    assert.equal(parseSettings(['data'], { flags: {}, env }).data, 'here');
    assert.throws(() => parseSettings(['data'], { flags: {}, env: { TALLYWIRE_DATTA: 'x' } }), ConfigError);
  });
});

describe('names of settings', () => {
  it('follow from the key', () => {
    assert.equal(flagOf('staleSecondsUi'), '--stale-seconds-ui');
    assert.equal(envOf('staleSecondsUi'), 'TALLYWIRE_STALE_SECONDS_UI');
    assert.equal(flagOf('accountA'), '--account-a');
    assert.equal(envOf('accountA'), 'TALLYWIRE_ACCOUNT_A');
  });

  it('refuses a look for posts that comes too late for them to be fresh', () => {
    const fault = (limit: number) =>
      `expected less than the ${limit} s after which posts are stale, found ${limit}`;
    assert.deepEqual(faultsOf({ flags: { postsSeconds: '10' } }), [`--posts-seconds: ${fault(10)}`]);
    assert.deepEqual(faultsOf({ flags: { postsListSeconds: '600' } }), [
      `--posts-list-seconds: ${fault(600)}`,
    ]);
    assert.deepEqual(faultsOf({ flags: { postsSeconds: '10', staleSecondsPosts: '11' } }), []);
  });
});
