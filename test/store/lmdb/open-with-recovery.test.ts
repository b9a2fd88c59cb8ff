import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { copyParts } from '../../../src/store/lmdb/copy-parts.ts';
import { openStartingStore, openStore } from '../../../src/store/lmdb/open-store.ts';
import type { StoreNews } from '../../../src/store/lmdb/store-news.ts';
import type { Store } from '../../../src/store/store.ts';
import { GRAPH_VERSION } from '../../../streams/internal.ts';
import { startChild } from '../../support/child.ts';
import { breakStore, changeRows, ENTRY, KEY } from '../../support/data-folder.ts';
import { filePath, PAGE, pagesOf, swapPages } from '../../support/database-pages.ts';
import { ticks, velocityAt, withFolder } from '../../support/store-records.ts';

const OPEN_PROCESS = new URL(`./open-process${extname(import.meta.url)}`, import.meta.url);

/** Five observations more than the last of its backups has, which have ten more each. */
async function makeStore(folder: string, backups: readonly string[]): Promise<void> {
  const store = await openStore(folder);
  for (const [index, name] of backups.entries()) {
    await store.journal.append(ticks(store.journal.head + 1, 10));
    await store.backup(join(folder, 'backups', name));
    const at = 1_700_000_000 + index;
    utimesSync(join(folder, 'backups', name, 'db', 'data.mdb'), at, at);
  }
  await store.journal.append(ticks(store.journal.head + 1, 5));
  await store.close();
}

interface Start {
  readonly head?: number;
  readonly code?: string;
  readonly message?: string;
}

/** Opens the store in a process of its own; nothing is expected when that process is ended by the store. */
async function start(folder: string): Promise<Start> {
  const child = startChild(OPEN_PROCESS, [folder]);
  await child.ended();
  return (child.messages[0] ?? {}) as Start;
}

const LEAF = 2;

const marker = (folder: string) => join(folder, 'opening');

describe('openWithRecovery', () => {
  it('leaves no marker behind an open that ended', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      assert.deepEqual(readdirSync(folder).sort(), ['db', 'db.made']);
    }));

  it('keeps a sound store after any number of opens that never ended', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      writeFileSync(marker(folder), '7');
      const store = await openStore(folder);
      assert.equal(store.journal.head, 15);
      await store.close();
      assert.deepEqual(readdirSync(folder).sort(), ['backups', 'db', 'db.made']);
    }));

  it('puts the newest backup in the place of a store that ended two processes', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['later', 'earlier']);
      breakStore(folder);
      assert.notEqual((await start(folder)).head, 25);
      assert.notEqual((await start(folder)).head, 25);
      assert.match(readFileSync(marker(folder), 'utf8'), /^4/);

      assert.deepEqual(await start(folder), { head: 20 });
      assert.ok(!existsSync(marker(folder)));
      assert.equal(readdirSync(folder).filter((name) => name.startsWith('db.broken-')).length, 1);
      const store = await openStore(folder);
      assert.deepEqual([...store.journal.read(1)], ticks(1, 20));
      await store.close();
    }));

  it('tells what was lost and where the old one lies, and saves what is newer than the backup', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      const filled = await openStore(folder);
      await filled.keys.put([KEY]);
      await filled.waitlist.claim(ENTRY, 5);
      await filled.close();
      await changeRows(folder, (database) => void database('journal').putSync(11, 'not a block'));

      const news: StoreNews[] = [];
      await assert.rejects(openStore(folder), { code: 'STORE_CORRUPT', message: /seq 11 / });
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual([store.journal.tail, store.journal.head], [1, 10]);
      assert.deepEqual(store.keys.all(), [KEY]);
      assert.equal([...store.waitlist.list()].length, 1);
      assert.match(store.notes.get('repair') ?? '', /journal/);
      await store.close();
      const told = JSON.stringify(news.filter(({ level }) => level === 'error'));
      assert.match(told, /1 rows do not match their checksum \(11\)/);
      assert.match(told, /db\.broken-/);
      assert.equal(readdirSync(folder).filter((name) => name.startsWith('db.broken-')).length, 1);
      assert.ok(!existsSync(marker(folder)));
    }));

  it('brings back keys and places that are damaged from the backup, and names those that are in neither', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      await store.keys.put([KEY]);
      await store.waitlist.claim(ENTRY, 5);
      await store.backup(join(folder, 'backups', 'one'));
      await store.keys.put([{ ...KEY, id: 'later' }]);
      await store.waitlist.claim({ ...ENTRY, email: 'later@example.test' }, 6);
      await store.close();
      await changeRows(folder, (database) => {
        for (const id of [KEY.id, 'later']) database('keys').putSync(id, 'no key');
        for (const place of [1, 2]) database('waitlist').putSync(place, 'no place');
      });
      writeFileSync(marker(folder), '0\nsomebody saw damage');

      const news: StoreNews[] = [];
      const repaired = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual(repaired.keys.all(), [KEY]);
      assert.deepEqual(
        Array.from(repaired.waitlist.list(), ({ position }) => position),
        [1],
      );
      // Nobody else gets the place of an owner that is lost, who still has it.
      const next = await repaired.waitlist.claim({ ...ENTRY, email: 'third@example.test' }, 7);
      const own = await repaired.waitlist.claim({ ...ENTRY, email: 'later@example.test' }, 8);
      assert.deepEqual([next.position, own.position], [3, 2]);
      await repaired.close();
      const told = JSON.stringify(news);
      assert.match(told, /keys: later is lost/);
      assert.match(told, /the owner of place 2 is lost/);
      assert.doesNotMatch(told, /keys: k is lost|place 1 is lost/);
    }));

  describe('of rules of alerts', () => {
    const row = (kind: 'rule' | 'state' | 'waiting', rule: string, n = 0) => ({
      place: [kind, rule, n] as const,
      text: `${kind} of ${rule}`,
    });
    const rowsOf = ({ alerts }: Store) =>
      (['upTo', 'rule', 'state', 'waiting', 'dead'] as const).flatMap((kind) => alerts.rows(kind));

    /** Rules `kept` and `removed` and an alert in a backup; since then `removed` and the alert are gone, and `later` is new. */
    async function makeRules(folder: string): Promise<void> {
      const { alerts, backup, close } = await openStore(folder);
      const rules = ['kept', 'removed'].flatMap((rule) => [row('rule', rule), row('state', rule)]);
      await alerts.write({ put: [...rules, row('waiting', 'kept', 1)], remove: [] });
      await backup(join(folder, 'backups', 'one'));
      await alerts.write({
        put: [row('rule', 'later'), { place: ['upTo', '', 0], text: '7' }],
        remove: [row('rule', 'removed'), row('state', 'removed'), row('waiting', 'kept', 1)].map(
          ({ place }) => place,
        ),
      });
      await close();
      writeFileSync(marker(folder), '0\nsomebody saw damage');
    }

    it('brings back those that are damaged, but none that was removed and no alert that was delivered', () =>
      withFolder(async (folder) => {
        await makeRules(folder);
        await changeRows(folder, (database) => {
          for (const key of [
            ['rule', 'kept', 0],
            ['state', 'kept', 0],
            ['rule', 'later', 0],
          ])
            database('alerts').putSync(key, 'no row');
        });
        const news: StoreNews[] = [];
        const repaired = await openStore(folder, { tell: (each) => news.push(each) });
        assert.deepEqual(rowsOf(repaired), [
          { place: ['upTo', '', 0], text: '7' },
          row('rule', 'kept'),
          row('state', 'kept'),
        ]);
        await repaired.close();
        const told = JSON.stringify(news);
        assert.match(told, /"fromBackup":\{"alerts":2\}/);
        assert.match(told, /"lost":\["alerts: rule later 0 is lost"\]/);
      }));

    it('brings back all of the backup where it cannot be told which are damaged', () =>
      withFolder(async (folder) => {
        await makeRules(folder);
        const [leaf = 0] = pagesOf(folder, 'alerts', 'leaf');
        const file = openSync(filePath(folder), 'r+');
        writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, leaf * PAGE);
        closeSync(file);
        const news: StoreNews[] = [];
        const repaired = await openStore(folder, { tell: (each) => news.push(each) });
        assert.deepEqual(rowsOf(repaired), [
          row('rule', 'kept'),
          row('rule', 'removed'),
          row('state', 'kept'),
          row('state', 'removed'),
        ]);
        await repaired.close();
        assert.match(JSON.stringify(news), /alerts: rows cannot be read/);
      }));
  });

  it('tells that the waitlist is lost where nothing of it can be read', () =>
    withFolder(async (folder) => {
      const filled = await openStore(folder);
      await filled.waitlist.claim(ENTRY, 5);
      await filled.close();
      const [places = 0] = pagesOf(folder, 'waitlist', 'leaf');
      const [index = 0] = pagesOf(folder, 'waitlistIndex', 'leaf');
      swapPages(filePath(folder), places, index);
      writeFileSync(marker(folder), '0\nsomebody saw damage');

      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual([...store.waitlist.list()], []);
      await store.close();
      assert.match(JSON.stringify(news), /"lost":\["waitlist: /);
    }));

  it('puts all rows into a new store when every one can be read, but writing ends the process', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      const path = join(folder, 'db', 'data.mdb');
      const bytes = readFileSync(path);
      // The number of the transaction that wrote a leaf page, which only writers look at.
      for (let page = 2 * PAGE; page < bytes.length; page += PAGE) {
        if (bytes.readUInt16LE(page + 18) === LEAF)
          bytes.writeUInt8(bytes.readUInt8(page + 10) ^ 16, page + 10);
      }
      writeFileSync(path, bytes);
      writeFileSync(marker(folder), '4');
      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual([...store.journal.read(1)], ticks(1, 5));
      await store.journal.append(ticks(6, 5));
      await store.close();
      assert.match(JSON.stringify(news), /writing to it ends the process/);
      assert.match(JSON.stringify(news), /"lost":\[\]/);
    }));

  it('replaces nothing when the examination could not be made, and says so', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      writeFileSync(marker(folder), '4');
      const news: StoreNews[] = [];
      // No process can be started with it.
      process.execArgv.push('--no-such-option');
      try {
        const store = await openStore(folder, { tell: (each) => news.push(each) });
        assert.equal(store.journal.head, 15);
        await store.close();
        // The store was opened as it is once, or not at all yet.
        writeFileSync(marker(folder), '5');
        await (await openStore(folder)).close();
        writeFileSync(marker(folder), '6');
        await assert.rejects(openStore(folder), { code: 'STORE_UNCHECKED' });
      } finally {
        process.execArgv.pop();
      }
      assert.match(JSON.stringify(news), /could not be examined and is left as it is/);
      assert.ok(!readdirSync(folder).some((name) => name.startsWith('db.broken-')));
    }));

  it('saves all other rows when the mark of the outputs is damaged', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      const filled = await openStore(folder);
      await filled.outputs.append([velocityAt(5)], 5);
      await filled.keys.put([KEY]);
      await filled.waitlist.claim(ENTRY, 5);
      await filled.close();
      await changeRows(folder, (database) => void database('meta').putSync('outputs', 'no mark'));

      await assert.rejects(openStore(folder), { code: 'STORE_CORRUPT' });
      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual([...store.journal.read(1)], ticks(1, 5));
      assert.deepEqual(store.keys.all(), [KEY]);
      assert.equal([...store.waitlist.list()].length, 1);
      // They are computed again from the log.
      assert.equal(store.outputs.upTo, 0);
      await store.close();
      assert.match(JSON.stringify(news), /"lost":\[\]/);
    }));

  it('brings back parts that are lost whole from the backup, and says what else was lost with them', () =>
    withFolder(async (folder) => {
      const store = await openStore(folder);
      await store.journal.append(ticks(1, 10));
      await store.keys.put([KEY]);
      await store.backup(join(folder, 'backups', 'one'));
      await store.journal.append(ticks(11, 5));
      await store.outputs.append([velocityAt(15)], 15);
      await store.keys.put([{ ...KEY, id: 'later' }]);
      await store.close();
      await changeRows(folder, (database) => {
        for (const name of ['journal', 'keys']) database(name).dropSync();
      });

      await assert.rejects(openStore(folder), {
        code: 'STORE_CORRUPT',
        message: /journal, keys cannot be found/,
      });
      const news: StoreNews[] = [];
      const repaired = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual(repaired.keys.all(), [KEY]);
      assert.deepEqual([...repaired.journal.read(1)], ticks(1, 10));
      await repaired.close();
      const told = JSON.stringify(news);
      assert.match(told, /"fromBackup":\{"keys":1,"journal":1\}/);
      assert.match(told, /keys: cannot be found/);
      assert.match(told, /seqs 11 to 15 are lost/);
    }));

  it('keeps no log that cannot be followed, as the checkpoint before it is lost', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      const filled = await openStore(folder);
      await filled.journal.append(ticks(6, 5));
      await filled.checkpoints.save({ seq: 5, at: 5, graphVersion: GRAPH_VERSION, state: '{}' });
      await filled.journal.prune(6, 10);
      assert.equal(filled.journal.tail, 6);
      await filled.close();
      await changeRows(folder, (database) => void database('checkpoints').putSync(5, 'no checkpoint'));
      writeFileSync(marker(folder), '0\nsomebody saw damage');

      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.deepEqual([store.journal.tail, store.journal.head], [0, 0]);
      await store.close();
      assert.match(JSON.stringify(news), /seqs 6 to 10 cannot be followed/);
    }));

  it('repairs a store in which pages of the log and of a history are swapped, whose keys are of another shape', () =>
    withFolder(async (folder) => {
      const filled = await openStore(folder);
      for (let seq = 1; seq <= 120; seq++) await filled.journal.append(ticks(seq, 1));
      await filled.outputs.append(
        ticks(1, 120).map(({ seq }) => velocityAt(seq)),
        120,
      );
      await filled.backup(join(folder, 'backups', 'one'));
      await filled.close();
      const [first = 0] = pagesOf(folder, 'journal', 'leaf');
      const [, second = 0] = pagesOf(folder, 'history.velocity', 'leaf');
      swapPages(filePath(folder), first, second);

      await assert.rejects(openStore(folder), {
        code: 'STORE_CORRUPT',
        message: /journal: .* is no key of it/,
      });
      const store = await openStore(folder);
      assert.deepEqual([store.journal.tail, store.journal.head], [1, 120]);
      // They are computed again from the log.
      assert.equal(store.outputs.upTo, 0);
      await store.close();
    }));

  it('starts on no log whose beginning was dropped when the checkpoint behind that is gone', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      const filled = await openStore(folder);
      await filled.journal.append(ticks(6, 5));
      await filled.checkpoints.save({ seq: 5, at: 5, graphVersion: GRAPH_VERSION, state: '{}' });
      await filled.journal.prune(6, 10);
      await filled.close();
      const options = { tell: () => undefined, reserveBytes: 0 };
      const sound = await openStartingStore(folder, options);
      // As an older page of the checkpoints would leave it.
      await sound.store.checkpoints.remove(5);
      await sound.store.close();
      sound.finished();

      const isRefused = {
        code: 'STORE_CORRUPT',
        message: /the log begins at seq 6, and there is none from there on/,
      };
      await assert.rejects(openStartingStore(folder, options), isRefused);
      const repaired = await openStartingStore(folder, options);
      assert.deepEqual([repaired.store.journal.tail, repaired.store.journal.head], [0, 0]);
      await repaired.store.close();
      repaired.finished();
    }));

  it('takes the beginning of the log from the backup, but nothing that was dropped since', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      await changeRows(folder, (database) => void database('journal').putSync(1, 'not a block'));
      writeFileSync(marker(folder), '4');
      const repaired = await openStore(folder);
      assert.deepEqual([...repaired.journal.read(1)], ticks(1, 15));
      await repaired.checkpoints.save({ seq: 10, at: 10, graphVersion: GRAPH_VERSION, state: '{}' });
      await repaired.notes.set('prunedBefore', '11');
      await repaired.close();

      await changeRows(folder, (database) => void database('journal').putSync(1, 'not a block'));
      writeFileSync(marker(folder), '4');
      const again = await openStore(folder);
      assert.deepEqual([...again.journal.read(1)], ticks(11, 5));
      await again.close();
    }));

  it('saves every row but those of a page whose keys cannot even be looked up', () =>
    withFolder(async (folder) => {
      const filled = await openStore(folder);
      await filled.keys.put(Array.from({ length: 100 }, (_, n) => ({ ...KEY, id: `key${1_000 + n}` })));
      await filled.close();
      const [, second = 0] = pagesOf(folder, 'keys', 'leaf');
      const bytes = readFileSync(filePath(folder));
      // The first letter of each key of the page becomes the mark of bytes, of a symbol or of a number.
      const page = bytes.subarray(second * PAGE, (second + 1) * PAGE);
      const kinds = [1, 2, 20];
      for (let at = page.indexOf('key1'), n = 0; at >= 0; at = page.indexOf('key1', at + 1), n++)
        page.writeUInt8(kinds[n % kinds.length] ?? 1, at);
      writeFileSync(filePath(folder), bytes);
      writeFileSync(marker(folder), '4');

      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      const ids = store.keys.all().map(({ id }) => id);
      await store.close();
      assert.ok(ids.includes('key1000') && ids.includes('key1099'), ids.join(' '));
      assert.ok(ids.length > 50 && ids.length < 100, `${ids.length}`);
      assert.match(
        JSON.stringify(news),
        /"lost":\["keys: rows cannot be read after key10\d\d before key10\d\d/,
      );
    }));

  it('takes a store whose names are lost for broken where it was ours, and for that of another program elsewhere', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      const [names = 0] = pagesOf(folder, 'names', 'leaf');
      const [log = 0] = pagesOf(folder, 'journal', 'leaf');
      swapPages(filePath(folder), names, log);
      const made = join(folder, 'db.made');
      const text = readFileSync(made);
      rmSync(made);
      await assert.rejects(openStore(folder), { code: 'STORE_LAYOUT' });
      assert.ok(!existsSync(marker(folder)));

      writeFileSync(made, text);
      await assert.rejects(openStore(folder), {
        code: 'STORE_CORRUPT',
        message: /names of all parts are lost/,
      });
      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      assert.equal(store.journal.head, 10);
      await store.close();
      assert.match(JSON.stringify(news), /everything since .* is lost/);
    }));

  it('examines a store whose table of readers is gone, as after a restart of the machine', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      symlinkSync('/dev/shm/tallywire-elsewhere/1-2-3', join(folder, 'db', 'lock.mdb'));
      writeFileSync(marker(folder), '4');
      const news: StoreNews[] = [];
      await (await openStore(folder, { tell: (each) => news.push(each) })).close();
      assert.deepEqual(
        news.map(({ message }) => message),
        ['the last starts did not finish, examining the store', 'the store is sound'],
      );
    }));

  it('forgets neither earlier starts nor damage for a start that ended in order', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      writeFileSync(marker(folder), '2');
      await (await openStore(folder)).close();
      assert.equal(readFileSync(marker(folder), 'utf8'), '2');
      writeFileSync(marker(folder), '2\nsomebody saw damage');
      await changeRows(folder, (database) => void database('meta').putSync('layout', '99'));
      await assert.rejects(openStore(folder), { code: 'STORE_LAYOUT' });
      assert.equal(readFileSync(marker(folder), 'utf8'), '2\nsomebody saw damage');
    }));

  it('tells of damage also when it cannot be noted', () =>
    withFolder(async (folder) => {
      await makeStore(folder, ['one']);
      await changeRows(folder, (database) => void database('journal').putSync(1, 'not a block'));
      const news: StoreNews[] = [];
      const store = await openStore(folder, { tell: (each) => news.push(each) });
      const found: string[] = [];
      store.onDamage(({ code }) => found.push(code));
      mkdirSync(marker(folder));
      assert.throws(() => [...store.journal.read(1)], { code: 'STORE_CORRUPT' });
      await store.close();
      assert.deepEqual(found, ['STORE_CORRUPT']);
      assert.match(JSON.stringify(news), /cannot note in the data folder/);
    }));

  it('takes a process that says nothing in time for no proof', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      const outcome = await copyParts({ source: join(folder, 'db'), parts: ['journal'], silenceMs: 1 });
      assert.equal(outcome.is, 'unknown');
    }));

  it('names the remedy when there is no backup, as often as asked, and moves nothing', () =>
    withFolder(async (folder) => {
      await makeStore(folder, []);
      breakStore(folder);
      // As two starts leave it that the store has ended.
      writeFileSync(marker(folder), '4');
      for (const again of [await start(folder), await start(folder)]) {
        assert.equal(again.code, 'STORE_BROKEN');
        assert.match(
          again.message ?? '',
          /no sound backup in .*backups; put one there, or start on another folder/,
        );
      }
      assert.deepEqual(readdirSync(folder).sort(), ['db', 'db.made', 'opening']);
    }));
});
