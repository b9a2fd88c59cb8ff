import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openWriteRoom } from '../../../src/store/lmdb/write-room.ts';
import { pagesNeeded } from '../../../src/store/lmdb/write-size.ts';

const PAGE = 4_096;
const RESERVE = 100 * PAGE;

/** A disk on which others write as well, and a file on it. Sizes in pages. */
function createDisk(capacity: number) {
  const disk = {
    capacity,
    others: 0,
    used: 2,
    total: 2,
    hasHoles: false,
    nowMs: 0,
    free: () => Math.max(0, disk.capacity - disk.others - disk.total),
    open: () =>
      openWriteRoom({
        pageSize: PAGE,
        pages: {
          get total() {
            return disk.hasHoles ? 0 : disk.total;
          },
          async growTo(pages) {
            disk.hasHoles = false;
            while (disk.total < pages) {
              if (disk.free() === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
              disk.total += 1;
            }
          },
          async close() {},
        },
        usedPages: () => disk.used,
        freeBytes: async () => disk.free() * PAGE,
        reserveBytes: RESERVE,
        now: () => disk.nowMs,
      }),
    /** A commit that takes so many pages, and fails the test when they have no place. */
    async commit(pages: number): Promise<void> {
      await Promise.resolve();
      disk.used += pages;
      assert.ok(disk.used <= disk.total, `${disk.used} pages are used, ${disk.total} have their place`);
    },
  };
  return disk;
}

const SIZE = { rows: 1, bytes: 1_000 };
const codeOf = (write: Promise<unknown>) =>
  write.then(
    () => 'written',
    (error: unknown) => Object(error).code,
  );

describe('openWriteRoom', () => {
  it('begins a write at once when there is room', async () => {
    const disk = createDisk(10_000);
    const room = await disk.open();
    await room.run(() => disk.commit(1), 'a row', SIZE);
    let hasBegun = false;
    const written = room.run(
      () => {
        hasBegun = true;
        return disk.commit(1);
      },
      'a row',
      SIZE,
    );
    assert.ok(hasBegun);
    await written;
  });

  it('refuses a write while less than the reserve is free, and takes it once there is more', async () => {
    const disk = createDisk(10_000);
    const room = await disk.open();
    await room.run(() => disk.commit(1), 'a row', SIZE);
    disk.others = disk.capacity - disk.total - 99;
    // A write looks for the next one.
    disk.nowMs += 100;
    await codeOf(room.run(() => disk.commit(1), 'a row', SIZE));
    assert.equal(await codeOf(room.run(() => assert.fail('begun'), 'a row', SIZE)), 'STORE_FULL');
    disk.others = 0;
    assert.equal(await codeOf(room.run(() => disk.commit(1), 'a row', SIZE)), 'written');
  });

  it('begins a write to a large file with holes once they are filled', async () => {
    const disk = createDisk(10_000);
    Object.assign(disk, { used: 8_000, total: 8_000, hasHoles: true });
    const room = await disk.open();
    assert.equal(await codeOf(room.run(() => disk.commit(1), 'a row', SIZE)), 'written');
  });

  it('lets the writes of a stop use what is kept back', async () => {
    const disk = createDisk(10_000);
    const room = await disk.open();
    await room.run(() => disk.commit(1), 'a row', SIZE);
    disk.others = disk.capacity - disk.total;
    disk.nowMs += 100;
    await codeOf(room.run(() => disk.commit(1), 'a row', SIZE));
    assert.equal(await codeOf(room.run(() => disk.commit(1), 'a row', SIZE)), 'STORE_FULL');
    room.allowReserve(true);
    assert.equal(await codeOf(room.run(() => disk.commit(1), 'a row', SIZE)), 'written');
    assert.equal(
      await codeOf(room.run(() => disk.commit(1), 'a checkpoint', { rows: 9, bytes: 1e9 })),
      'STORE_FULL',
    );
  });

  it('refuses others while a write is not finished for long, and tells for how long', async () => {
    const disk = createDisk(10_000);
    const room = await disk.open();
    await room.run(() => disk.commit(1), 'a row', SIZE);
    let finish: (value: unknown) => void = () => undefined;
    const hanging = room.run(() => new Promise((resolve) => (finish = resolve)), 'a row', SIZE);
    disk.nowMs = 9_000;
    assert.equal(room.unfinishedMs(), 9_000);
    disk.nowMs = 11_000;
    assert.equal(await codeOf(room.run(() => assert.fail('begun'), 'a row', SIZE)), 'STORE_STALLED');
    finish(undefined);
    await hanging;
    assert.equal(room.unfinishedMs(), 0);
    assert.equal(await codeOf(room.run(() => disk.commit(1), 'a row', SIZE)), 'written');
  });

  it('leaves nothing unfinished when a write cannot even begin', async () => {
    const disk = createDisk(10_000);
    const room = await disk.open();
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(
        async () =>
          room.run(
            () => {
              throw new RangeError('a bug');
            },
            'a row',
            SIZE,
          ),
        RangeError,
      );
    }
    disk.nowMs = 1_000;
    assert.equal(room.unfinishedMs(), 0);
  });

  it('lets no write meet a full disk, whatever others write in between, and keeps their order', () => {
    const step = fc.record({
      others: fc.nat(3_000),
      isAwaited: fc.boolean(),
      size: fc.record({ rows: fc.nat(30), bytes: fc.nat(400_000) }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const disk = createDisk(3_000);
        const room = await disk.open();
        const begun: number[] = [];
        const writes: Promise<unknown>[] = [];
        for (const [n, { others, isAwaited, size, share }] of steps.entries()) {
          disk.others = Math.min(others, disk.capacity - disk.total);
          const write = room.run(
            () => {
              begun.push(n);
              return disk.commit(Math.floor(share * pagesNeeded(size, disk.used, PAGE)));
            },
            'rows',
            size,
          );
          writes.push(codeOf(write).then((code) => assert.match(String(code), /^(written|STORE_FULL)$/)));
          if (isAwaited) await writes.at(-1);
        }
        await Promise.all(writes);
        assert.deepEqual(
          begun,
          begun.toSorted((a, b) => a - b),
        );
      }),
    );
  });
});
