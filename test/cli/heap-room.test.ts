import assert from 'node:assert/strict';
import { heapRoomDoubt } from '../../src/cli/heap-room.ts';
import { printedBy } from './own-process.ts';

const HEAP_ROOM = new URL('../../src/cli/heap-room.js', import.meta.url).href;

describe('heapRoomDoubt', () => {
  it('has none where all accounts have room', () => {
    assert.equal(heapRoomDoubt(2, 768 * 2 ** 20), undefined);
    assert.equal(heapRoomDoubt(192, 768 * 2 ** 20), undefined);
  });

  it('says what to allow where they have not', () => {
    assert.equal(
      heapRoomDoubt(400, 816 * 2 ** 20),
      '400 accounts may take 1600 MB of heap and Node allows 816: run node with --max-old-space-size=1600',
    );
  });

  it('goes by what this process is allowed, and is content with what it has asked for', async () => {
    const doubtWith = async (megabytes: number) => {
      const program = `const { heapRoomDoubt } = await import('${HEAP_ROOM}'); console.log(heapRoomDoubt(100) ?? 'none');`;
      return (await printedBy(program, [`--max-old-space-size=${megabytes}`]))[0].trim();
    };
    assert.match(await doubtWith(200), /--max-old-space-size=400$/);
    assert.equal(await doubtWith(400), 'none');
  });
});
