import assert from 'node:assert/strict';
import { CHROMIUM, installPackages, type Machine, missingPackages } from './system-packages.ts';

interface Made extends Machine {
  readonly commands: string[];
  readonly said: string[];
}

const COMPILER = ['/usr/bin/gcc', '/usr/include/stdio.h'];
const ALL = [CHROMIUM, ...COMPILER];

/** A machine with these files, on which installing works unless told otherwise. */
function machine(
  files: readonly string[],
  fields: Partial<Machine> & { readonly isOffline?: true } = {},
): Made {
  const present = new Set(files);
  const commands: string[] = [];
  const said: string[] = [];
  return {
    env: {},
    isRoot: true,
    exists: (path) => present.has(path),
    run(command, args) {
      commands.push([command, ...args].join(' '));
      if (fields.isOffline) throw new Error('cannot reach the mirror');
      if (args.includes('install')) for (const file of ALL) present.add(file);
    },
    say: (text) => void said.push(text),
    commands,
    said,
    ...fields,
  };
}

const DEBIAN = '/etc/debian_version';

describe('installPackages', () => {
  it('does nothing where nothing is missing', () => {
    const whole = machine([...ALL, DEBIAN]);
    assert.equal(installPackages(whole), true);
    assert.deepEqual([whole.commands, whole.said], [[], []]);
    assert.equal(missingPackages('the dashboard in a browser', whole), undefined);
  });

  it('installs missing packages on Debian as root', () => {
    const bare = machine([DEBIAN]);
    assert.equal(installPackages(bare), true);
    assert.deepEqual(bare.commands, [
      'apt-get update -q',
      'apt-get install -q -y --no-install-recommends chromium gcc libc6-dev',
    ]);
    assert.deepEqual(bare.said, []);
  });

  it('names missing packages elsewhere and lets the other tests run', () => {
    for (const other of [machine([]), machine([DEBIAN], { isRoot: false })]) {
      assert.equal(installPackages(other), true);
      assert.deepEqual(other.commands, []);
      assert.match(
        other.said.join(''),
        /NOT TESTED: the dashboard in a browser.*chromium.*\/usr\/bin\/chromium/,
      );
      assert.match(other.said.join(''), /NOT TESTED: kills at system calls.*gcc.* and .*libc6-dev/);
    }
  });

  it('knows which tests a missing package concerns', () => {
    const other = machine([...COMPILER], { isRoot: false });
    assert.match(missingPackages('the dashboard in a browser', other) ?? '', /chromium/);
    assert.equal(missingPackages('kills at system calls', other), undefined);
  });

  it('reports why it could not install, and goes on', () => {
    const offline = machine([DEBIAN], { isOffline: true });
    assert.equal(installPackages(offline), true);
    assert.match(offline.said.join(''), /cannot reach the mirror.*NOT TESTED/s);
  });

  it('is not content with less where everything is to be tested', () => {
    const env = { CI: 'true' };
    assert.equal(installPackages(machine([], { env })), false);
    assert.equal(installPackages(machine([DEBIAN], { env, isOffline: true })), false);
    assert.equal(installPackages(machine([DEBIAN], { env })), true);
  });
});
