import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { extname, join } from 'node:path';
import { environmentPath, openForReading } from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { openBesideWriter, serveReaderOpenings } from '../../../src/store/lmdb/reader-openings.ts';
import { createWriteHold, type WriteHold } from '../../../src/store/lmdb/write-hold.ts';
import { startChild } from '../../support/child.ts';
import { leaveDeadSocket } from '../../support/data-folder.ts';
import { eventually } from '../../support/eventually.ts';
import { withFolder } from '../../support/store-records.ts';

const APPEND_PROCESS = new URL(`./append-process${extname(import.meta.url)}`, import.meta.url);

function served(act: (folder: string, writes: WriteHold) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const writes = createWriteHold();
    const openings = await serveReaderOpenings(folder, writes);
    try {
      await act(folder, writes);
    } finally {
      await openings.close();
    }
  });
}

/** Whether a write that is asked for now has to wait. */
function isHeld({ write }: WriteHold): boolean {
  let hasBegun = false;
  void write(async () => {
    hasBegun = true;
  });
  return !hasBegun;
}

describe('openBesideWriter', () => {
  it('waits for the write under way, and the next one waits for it', () =>
    served(async (folder, writes) => {
      const events: string[] = [];
      let end: () => void = () => undefined;
      const first = writes.write(
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      );
      const opened = openBesideWriter(folder, () => {
        assert.ok(isHeld(writes));
        events.push('opened');
      });
      await eventually('the reader asks', () => isHeld(writes));
      const second = writes.write(async () => void events.push('written'));
      assert.deepEqual(events, []);
      end();
      await Promise.all([first, opened, second]);
      assert.deepEqual(events, ['opened', 'written']);
    }));

  it('opens at once where there is no writer, or one that was ended', () =>
    withFolder(async (folder) => {
      assert.equal(await openBesideWriter(folder, () => 'opened'), 'opened');
      await leaveDeadSocket(folder, 'writer.sock');
      assert.equal(await openBesideWriter(folder, () => 'opened'), 'opened');
      const openings = await serveReaderOpenings(folder, createWriteHold());
      assert.equal(await openBesideWriter(folder, () => 'opened'), 'opened');
      await openings.close();
    }));

  it('lets writes go on after a reader that cannot open it or hangs up before it may', () =>
    served(async (folder, { write }) => {
      const fail = () => {
        throw new Error('broken');
      };
      await assert.rejects(openBesideWriter(folder, fail), /broken/);
      for (let n = 0; n < 20; n++) {
        const reader = connect(join(folder, 'writer.sock'), () => reader.destroy());
      }
      // Gone before this process can answer it.
      const connectAndEnd = `require('node:net').connect(process.argv[1], () => process.exit(0))`;
      spawnSync(process.execPath, ['-e', connectAndEnd, join(folder, 'writer.sock')]);
      assert.equal(await openBesideWriter(folder, () => 'opened'), 'opened');
      assert.equal(await write(async () => 'written'), 'written');
    }));

  it('takes nothing from the log of a writer, however often others open it meanwhile', () =>
    withFolder(async (folder) => {
      const writer = startChild(APPEND_PROCESS, [folder]);
      await writer.firstMessage(() => true);
      for (let n = 0; n < 1_000; n++) {
        const root = await openForReading(environmentPath(folder));
        await root.close();
      }
      writer.process.kill('SIGKILL');
      assert.equal(await writer.ended(), 'SIGKILL');
      const acknowledged = writer.messages.at(-1) as { readonly head: number };
      const store = await openStore(folder, { readOnly: true });
      let head = 0;
      // Throws where the log has a gap.
      for (const { seq } of store.journal.read(1)) head = seq;
      await store.close();
      assert.ok(head >= acknowledged.head && acknowledged.head > 0);
    }));
});
