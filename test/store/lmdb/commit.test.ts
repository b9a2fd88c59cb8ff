import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { extname } from 'node:path';
import { startChild } from '../../support/child.ts';
import { withFolder } from '../../support/store-records.ts';

const moduleAt = (name: string) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Puts a disk of 8 MB at `folder`, or returns why that is impossible. */
function mountSmallDisk(folder: string): string | undefined {
  if (!isRoot) return 'not root on Linux';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

interface Report {
  readonly codes: readonly string[];
  readonly recovered: string;
  readonly head: number;
  readonly headWhenFull: number;
  readonly kept: number;
  readonly listeners: number;
}

describe('guardCommits', () => {
  it('SKIPPED WHEN NO DISK CAN BE MOUNTED: outlives a full disk, reads on, and writes again once there is space', function () {
    this.timeout(120_000);
    return withFolder(async (folder) => {
      const obstacle = mountSmallDisk(folder);
      if (obstacle !== undefined) {
        assert.ok(process.env.CI !== 'true' || !isRoot, `no disk to fill: ${obstacle}`);
        return this.skip();
      }
      try {
        const child = startChild(moduleAt('fill-disk-process'), [folder]);
        const report = (await child.firstMessage(() => true)) as Report;
        assert.equal(await child.ended(), 0);
        assert.deepEqual(report.codes, ['STORE_FULL', 'written']);
        assert.equal(report.recovered, 'written');
        assert.ok(report.head > 0);
        assert.equal(report.kept, report.headWhenFull + 500);
        assert.equal(report.listeners, 0);
      } finally {
        execFileSync('umount', [folder]);
      }
    });
  });

  it('lets any other stray rejection end the process', () =>
    withFolder(async (folder) => {
      const child = startChild(moduleAt('stray-rejection-process'), [folder]);
      await child.firstMessage((message) => message === 'open');
      assert.equal(await child.ended(), 1);
    }));
});
