import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './research/small-log.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

/** Compiles by copying, unless a source cannot be compiled or ends it as a kill would. */
const COMPILER = `
const fs = require('node:fs');
const path = require('node:path');
for (const folder of ['src', 'streams', 'test', 'bench']) {
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    if (text.includes('WRONG')) process.exit(2);
    if (text.includes('KILL')) process.kill(process.ppid, 'SIGKILL');
    const out = path.join('build', folder, name.replace(/ts$/, 'js'));
    fs.mkdirSync(path.dirname(out), { recursive: true });
    fs.writeFileSync(out, text);
  }
}
`;

/** A step of the build that makes one file. */
const making = (path: string) => `
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
mkdirSync(dirname('${path}'), { recursive: true });
writeFileSync('${path}', '');
`;

/** A project as small as can be that is built by the same script. */
function smallProject(folder: string) {
  const pathOf = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(pathOf(name)), { recursive: true });
    writeFileSync(pathOf(name), text);
  };
  write('package.json', '{"type":"module"}');
  write('tsconfig.json', '{}');
  write('node_modules/typescript/package.json', '{"type":"commonjs"}');
  write('node_modules/typescript/bin/tsc', COMPILER);
  write('src/main.ts', 'export const one = 1;\n');
  write('src/copy-database.ts', making('build/database/lmdb/dict/dict.txt'));
  write('src/bundle-program.ts', making('build/program/main.js'));
  write('src/bundle-dashboard.ts', making('build/src/dashboard/page.css.gz'));
  write('src/bundle-docs.ts', making('build/src/server/docs/page.css'));
  write('src/package-client.ts', making('build/client/README.md'));
  for (const name of ['streams', 'test', 'bench']) write(`${name}/one.ts`, '');
  copyFileSync(join(root, 'src', 'build.mjs'), pathOf('src/build.mjs'));
  return {
    pathOf,
    write,
    build(...args: readonly string[]) {
      const { status, stderr } = spawnSync(process.execPath, [pathOf('src/build.mjs'), ...args], {
        cwd: dirname(folder),
        encoding: 'utf8',
      });
      return { status, stderr };
    },
  };
}

const NOTHING = { status: 0, stderr: '' };

describe('the build', function () {
  this.timeout(120_000);
  let folder: ReturnType<typeof temporaryFolder>;
  let project: ReturnType<typeof smallProject>;
  beforeEach(() => {
    folder = temporaryFolder();
    project = smallProject(folder.path);
  });
  afterEach(() => folder.remove());
  const ifChanged = () => project.build('--if-changed');

  it('says what it does the first time, and does nothing the second', () => {
    const { status, stderr } = ifChanged();
    assert.equal(status, 0, stderr);
    assert.deepEqual(stderr.replace(/\d+ s\n$/, '… s\n').split('\n'), [
      'building tallywire for the first time, about half a minute',
      '  1/6 compiling the sources',
      '  2/6 copying the database',
      '  3/6 bundling the program',
      '  4/6 bundling the dashboard',
      '  5/6 bundling the pages of the API',
      '  6/6 making the package of the client',
      'built in … s',
      '',
    ]);
    assert.deepEqual(ifChanged(), NOTHING);
  });

  it('builds everything when it is asked without a condition', () => {
    project.build();
    assert.match(project.build().stderr, /^building tallywire, about/);
    assert.deepEqual(ifChanged(), NOTHING);
  });

  it('goes by contents, not by times', () => {
    ifChanged();
    utimesSync(project.pathOf('src/main.ts'), 2_000_000_000, 2_000_000_000);
    assert.deepEqual(ifChanged(), NOTHING);
    project.write('src/main.ts', 'export const two = 1;\n');
    utimesSync(project.pathOf('src/main.ts'), 1, 1);
    assert.match(ifChanged().stderr, /as something has changed/);
    assert.match(readFileSync(project.pathOf('build/src/main.js'), 'utf8'), /two/);
    project.write('package.json', '{"type":"module","version":"2.0.0"}');
    assert.match(ifChanged().stderr, /as something has changed/);
    project.write('node_modules/.package-lock.json', '{}');
    assert.match(ifChanged().stderr, /as something has changed/);
    assert.deepEqual(ifChanged(), NOTHING);
  });

  it('removes what was built from a source that is gone', () => {
    project.write('test/old.ts', '');
    ifChanged();
    renameSync(project.pathOf('test/old.ts'), project.pathOf('test/new.ts'));
    assert.match(ifChanged().stderr, /as something has changed/);
    assert.equal(existsSync(project.pathOf('build/test/old.js')), false);
    assert.ok(existsSync(project.pathOf('build/test/new.js')));
    assert.ok(existsSync(project.pathOf('build/src/server/docs/page.css')));
  });

  it('begins anew after it was killed', () => {
    ifChanged();
    project.write('src/other.ts', '// KILL\n');
    assert.equal(ifChanged().status, null);
    rmSync(project.pathOf('src/other.ts'));
    assert.match(ifChanged().stderr, /as the last build was not finished/);
    assert.equal(existsSync(project.pathOf('build/src/other.js')), false);
    assert.deepEqual(ifChanged(), NOTHING);
  });

  it('begins anew when a part of the result is gone', () => {
    ifChanged();
    rmSync(project.pathOf('build/program'), { recursive: true });
    assert.match(ifChanged().stderr, /as a part of the last build is gone/);
    assert.ok(existsSync(project.pathOf('build/program/main.js')));
  });

  it('fails when the sources do not compile, each time anew', () => {
    project.write('src/main.ts', 'WRONG\n');
    for (const _time of ['first', 'second']) {
      const { status, stderr } = ifChanged();
      assert.equal(status, 1);
      assert.match(stderr, /^tallywire: could not be built: the sources do not compile$/m);
    }
  });

  it('says so when the packages are not installed', () => {
    rmSync(project.pathOf('node_modules'), { recursive: true });
    assert.deepEqual(ifChanged(), {
      status: 1,
      stderr: 'tallywire: could not be built: the packages are not installed, run `npm ci` first\n',
    });
  });
});
