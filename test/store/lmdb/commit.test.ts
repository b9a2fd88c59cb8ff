import assert from 'node:assert/strict';
import { extname } from 'node:path';
import { durableAt } from '../../../src/store/lmdb/commit.ts';
import { startChild } from '../../support/child.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { withFolder } from '../../support/store-records.ts';

const moduleAt = (name: string) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

interface Report {
  readonly codes: readonly string[];
  readonly last: string;
  readonly refused: string;
  readonly recovered: string;
  readonly head: number;
  readonly headWhenFull: number;
  readonly kept: number;
  readonly listeners: number;
}

/** As LMDB rejects a write whose commit failed. */
function commitFailure(): { readonly error: Error; readonly explain: (reason: Error) => void } {
  let explain: (reason: Error) => void = () => undefined;
  const commitError = new Promise((_, reject) => {
    explain = reject;
  });
  return { error: Object.assign(new Error('Commit failed'), { commitError }), explain };
}

const SIZE = { rows: 1, bytes: 1 };

describe('durableAt', () => {
  it('does not wait for ever for the reason of a failed commit, which LMDB may lose', async () => {
    const begin = () => Promise.reject(commitFailure().error);
    await assert.rejects(durableAt('.')(begin, 'a row', SIZE), {
      code: 'STORE_WRITE',
      message: /Commit failed/,
    });
  });

  it('tells the reason of a failed commit, which comes after the failure', async () => {
    const reason = Object.assign(new Error('MDB_CORRUPTED'), { code: -30796 });
    const { error, explain } = commitFailure();
    const failing = durableAt('.')(() => Promise.reject(error), 'a row', SIZE);
    explain(reason);
    const isExplained = { code: 'STORE_WRITE', message: 'cannot write a row: MDB_CORRUPTED', cause: reason };
    await assert.rejects(failing, isExplained);
  });

  for (const kind of ['tmpfs', 'ext4'] as const) {
    it(`SKIPPED WHEN NO DISK CAN BE MOUNTED: never meets a full disk (${kind}), reads on, stops and starts in order, and writes again once there is space`, async function () {
      this.timeout(120_000);
      const disk = mountSmallDisk(kind, 16);
      if (typeof disk === 'string') return this.skip();
      try {
        const child = startChild(moduleAt('fill-disk-process'), [disk.folder]);
        let complaints = '';
        child.process.stderr?.on('data', (bytes: Buffer) => {
          complaints += bytes.toString();
        });
        const report = (await child.firstMessage(() => true)) as Report;
        assert.equal(await child.ended(), 0);
        // LMDB itself reports a write that met a full disk there.
        assert.equal(complaints, '');
        assert.deepEqual(report.codes, ['STORE_FULL', 'written']);
        assert.deepEqual(
          [report.last, report.refused, report.recovered],
          ['written', 'STORE_FULL', 'written'],
        );
        assert.ok(report.head > 0);
        assert.equal(report.kept, report.headWhenFull + 1_000);
        assert.equal(report.listeners, 0);
      } finally {
        disk.unmount();
      }
    });
  }
});

describe('guardCommits', () => {
  it('lets any other stray rejection end the process', () =>
    withFolder(async (folder) => {
      const child = startChild(moduleAt('stray-rejection-process'), [folder]);
      await child.firstMessage((message) => message === 'open');
      assert.equal(await child.ended(), 1);
    }));
});
