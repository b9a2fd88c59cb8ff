import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../research/small-log.ts';

/** What was built, wherever that is. */
const built = fileURLToPath(new URL('../../', import.meta.url));
const rxjs = dirname(fileURLToPath(import.meta.resolve('rxjs/package.json')));

/** Puts the package into a project of its own, as an installation does, and the example beside it. */
function install(project: string): string {
  const installed = join(project, 'node_modules', 'tallywire');
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(dirname(dirname(rxjs)), 'package.json'), join(installed, 'package.json'));
  symlinkSync(built, join(installed, 'build'));
  symlinkSync(rxjs, join(project, 'node_modules', 'rxjs'));
  const example = join(project, 'run-graph.mjs');
  copyFileSync(join(built, 'src', 'examples', 'run-graph.js'), example);
  return example;
}

async function run(...times: readonly number[]): Promise<readonly string[]> {
  const project = temporaryFolder();
  try {
    const example = install(project.path);
    const file = join(project.path, 'posts.csv');
    writeFileSync(file, `created_ts\n${times.join('\n')}\n`);
    const args = times.length === 0 ? [example] : [example, file];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.path });
    return stdout.trimEnd().split('\n');
  } finally {
    project.remove();
  }
}

describe('run-graph', function () {
  this.timeout(120_000);

  it('counts made-up posts through the door of the package', async () => {
    const lines = await run();
    const last = (what: string) => lines.findLast((line) => line.includes(what));
    assert.equal(last('count'), '2026-01-05T11:37:00.000Z count 8');
    assert.equal(last('in the last hour'), '2026-01-05T11:37:00.000Z in the last hour 5');
  });

  it('counts the posts of a file, those of the last seven days', async () => {
    const start = Date.UTC(2026, 1, 1);
    const hour = 3_600_000;
    const lines = await run(start, start + 3 * hour, start + 170 * hour, start + 170.5 * hour);
    assert.deepEqual(lines.slice(-4), [
      '2026-02-08T02:00:00.000Z count 2',
      '2026-02-08T02:00:00.000Z in the last hour 1',
      '2026-02-08T02:30:00.000Z count 3',
      '2026-02-08T02:30:00.000Z in the last hour 2',
    ]);
  });
});
