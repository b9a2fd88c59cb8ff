import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { runProgram } from '../../src/cli/program.ts';
import { systemClock } from '../../src/engine/clock.ts';
import { openAccess } from '../../src/service/access.ts';
import { createShutdown } from '../../src/service/shutdown.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { CLUSTER_NOTE } from '../../src/store/store.ts';
import { request } from '../access/request.ts';
import { memoryProcess } from './memory-process.ts';

describe('tallywire keys', () => {
  let folder: string;
  let data: string;
  const keys = async (...args: readonly string[]) => {
    const proc = memoryProcess();
    const code = await runProgram(['keys', ...args, '--data', data], proc);
    return { code, ...proc.texts };
  };
  const made = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await keys('create', ...args, '--json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const list = async () => {
    const { code, stdout } = await keys('list', '--json');
    assert.equal(code, 0);
    return stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-keys-'));
    data = join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What an engine holds of the folder, as far as keys go. */
  async function engine() {
    const shutdown = createShutdown();
    const lock = await lockFolder(data);
    shutdown.add(() => lock.release());
    const store = await openStore(data);
    shutdown.add(() => store.close());
    const { gate } = await openAccess(
      {
        config: { data, host: '127.0.0.1', trustedProxies: [], trafficPerMinute: null },
        store,
        clock: systemClock,
        sinceBoot: systemClock.sinceBoot,
        isStandIn: false,
        log: pino({ level: 'silent' }),
      },
      shutdown,
    );
    return { gate, store, stop: shutdown.run };
  }

  /** The same with and without an engine. */
  async function createRotateAndRevoke(): Promise<void> {
    const first = await made('--tier', 'pro', '--name', 'a bot', '--limit', '50');
    assert.match(first.key, /^tw_pro_[0-9A-Za-z]{30}$/);
    assert.deepEqual([first.tier, first.name, first.limit, first.revokedAt], ['PRO', 'a bot', 50, null]);
    const rotated = await keys('rotate', first.id, '--revoke-old');
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match(rotated.stdout, /^PRO key \w{8}, a bot, 50 an hour\ntw_pro_\w{30}\n$/);
    assert.match(rotated.stderr, /shown this once/);
    const both = await list();
    assert.deepEqual(
      both.map(({ id, name, revokedAt }) => [id === first.id, name, revokedAt !== null]),
      [
        [true, 'a bot', true],
        [false, 'a bot', false],
      ],
    );
    assert.equal((await keys('revoke', both[1].id)).code, 0);
    assert.ok((await list()).every(({ revokedAt }) => revokedAt !== null));
    const shown = await keys('list');
    assert.match(shown.stdout, /^ID +TIER +LIMIT +CREATED +LAST USED +REVOKED +NAME\n/);
    assert.ok(!shown.stdout.includes('tw_'));
    for (const order of ['revoke', 'rotate']) {
      const refused = await keys(order, 'nobody');
      assert.deepEqual(
        [refused.code, refused.stderr],
        [1, 'tallywire: there is no key with the id nobody (KEY_UNKNOWN)\n'],
      );
    }
  }

  it('works on the folder of a stopped engine', createRotateAndRevoke);

  it('works on the folder of a running engine, which applies it at once', async () => {
    const running = await engine();
    try {
      await createRotateAndRevoke();
      assert.equal(running.store.keys.all().length, 2);
    } finally {
      await running.stop();
    }
    assert.equal((await list()).length, 2);
  });

  it('reaches the engine of a folder with a long path, whatever path names it, and says when none runs', async () => {
    data = join(folder, 'x'.repeat(150));
    const running = await engine();
    const { key, id } = await made('--tier', 'PRO');
    const identify = () => running.gate.identify({ access: 'PRO' }, request({ 'X-API-Key': key }));
    assert.equal(identify().keyId, id);
    const alias = join(folder, 'alias');
    symlinkSync(data, alias);
    const long = data;
    data = alias;
    try {
      const revoked = await keys('revoke', id);
      assert.deepEqual([revoked.code, revoked.stderr], [0, '']);
      assert.throws(identify, { code: 'key_invalid' });
    } finally {
      await running.stop();
      data = long;
    }
    const again = await keys('revoke', id);
    assert.equal(again.code, 0);
    assert.match(again.stderr, /^no engine runs on /);
  });

  it('changes nothing in the folder of an engine of a cluster, whose other machines would not know', async () => {
    await made('--tier', 'PRO');
    const store = await openStore(data);
    await store.notes.set(CLUSTER_NOTE, '{}');
    await store.close();
    const { code, stderr } = await keys('create', '--tier', 'PRO');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^tallywire: the keys in .* are those of a cluster: change them where its leading engine runs \(KEYS_OF_CLUSTER\)\n$/,
    );
    assert.equal((await list()).length, 1);
  });

  it('waits for an engine that is about to stop', async () => {
    await made('--tier', 'FREE');
    const lock = await lockFolder(data);
    const creation = made('--tier', 'FREE');
    await lock.release();
    assert.ok((await creation).key);
  });

  it('closes a folder that is open to others, and says so once', async () => {
    mkdirSync(data);
    chmodSync(data, 0o755);
    const create = () => keys('create', '--tier', 'FREE');
    assert.match(
      (await create()).stderr,
      /^other users could look into the data folder: it is closed to them now\n/,
    );
    assert.doesNotMatch((await create()).stderr, /other users/);
    assert.equal(statSync(data).mode & 0o777, 0o700);
  });

  it('says what became of a damaged store that it had to repair', async () => {
    const { id } = await made('--tier', 'PRO');
    writeFileSync(join(data, 'opening'), '0\nsomebody saw damage');
    const { code, stderr } = await keys('create', '--tier', 'PRO');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the damaged store was replaced .*somebody saw damage.*db\.broken-/);
    assert.ok((await keys('list')).stdout.includes(id));
  });

  it('makes a folder for a first key only', async () => {
    const { code, stderr } = await keys('revoke', 'x');
    assert.deepEqual([code, existsSync(data)], [1, false], stderr);
    assert.equal((await keys('list')).code, 1);
    assert.equal(existsSync(data), false);
    await made('--tier', 'INTERNAL');
    assert.equal((await list())[0].tier, 'INTERNAL');
  });

  it('refuses what makes no sense as bad usage', async () => {
    const wrong = [
      ['create'],
      ['create', '--tier', 'GOLD'],
      ['create', '--tier', 'PRO', '--limit', '0'],
      ['create', '--tier', 'PRO', '--limit', '1e3'],
      ['create', '--tier', 'PRO', '--name', 'a\nb'],
      ['revoke'],
      ['destroy'],
    ];
    for (const args of wrong) assert.equal((await keys(...args)).code, 2, args.join(' '));
    assert.equal(existsSync(data), false);
  });
});
