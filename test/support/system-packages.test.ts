import assert from 'node:assert/strict';
import {
  CHROMIUM,
  findNatsServer,
  installPackages,
  type Machine,
  MYPY,
  missingPackages,
  NATS_SERVER,
  PYTHON,
} from './system-packages.ts';

interface Made extends Machine {
  readonly commands: string[];
  readonly said: string[];
}

const COMPILER = ['/usr/bin/gcc', '/usr/include/stdio.h'];
const PYTHON_FILES = [
  PYTHON,
  MYPY,
  ...['httpx', 'websockets', 'pandas', 'matplotlib'].map((name) => `/usr/lib/python3/dist-packages/${name}`),
];
const OF_RELEASE = [CHROMIUM, ...COMPILER, ...PYTHON_FILES];
const ALL = [...OF_RELEASE, NATS_SERVER];

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
      if (command === 'sh') present.add(NATS_SERVER);
      else if (args.includes('install')) for (const file of OF_RELEASE) present.add(file);
    },
    output: (path) => (path.startsWith('/old') ? 'nats-server: v2.9.10' : 'nats-server: v2.10.27'),
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
    assert.deepEqual(bare.commands.slice(0, 2), [
      'apt-get update -q',
      'apt-get install -q -y --no-install-recommends chromium gcc libc6-dev python3 mypy python3-httpx ' +
        'python3-websockets python3-pandas python3-matplotlib',
    ]);
    assert.match(bare.commands[2] ?? '', /^sh -c .*trixie.*download nats-server.*dpkg -x/s);
    assert.deepEqual(bare.said, []);
  });

  it('unpacks a NATS server alone where only an old one is there', () => {
    const old = machine([...OF_RELEASE, DEBIAN, '/old/nats-server'], { env: { PATH: '/bin:/old' } });
    assert.equal(findNatsServer(old), undefined);
    assert.equal(installPackages(old), true);
    assert.deepEqual(
      old.commands.map((command) => command.split(' ')[0]),
      ['apt-get', 'sh'],
    );
    assert.equal(findNatsServer(old), NATS_SERVER);
  });

  it('takes the NATS server that the environment names, and no other', () => {
    const env = { PATH: '/bin', TALLYWIRE_NATS_SERVER: '/mine/nats-server' };
    assert.equal(findNatsServer(machine([NATS_SERVER, '/bin/nats-server'], { env })), undefined);
    assert.equal(findNatsServer(machine(['/mine/nats-server'], { env })), '/mine/nats-server');
    assert.equal(
      findNatsServer(machine(['/bin/nats-server'], { env: { PATH: '/bin' } })),
      '/bin/nats-server',
    );
  });

  it('names missing packages elsewhere and lets the other tests run', () => {
    for (const other of [machine([]), machine([DEBIAN], { isRoot: false })]) {
      assert.equal(installPackages(other), true);
      assert.deepEqual(other.commands, []);
      assert.match(
        other.said.join(''),
        /NOT TESTED: the dashboard in a browser.*chromium.*\/usr\/bin\/chromium/,
      );
      assert.match(
        other.said.join(''),
        /NOT TESTED: kills and power cuts at system calls.*gcc.* and .*libc6-dev/,
      );
      assert.match(other.said.join(''), /NOT TESTED: the bus on NATS.*nats-server, 2\.10\.23/);
      assert.match(other.said.join(''), /NOT TESTED: the client in Python.*python3-httpx/);
    }
  });

  it('knows which tests a missing package concerns', () => {
    const other = machine([...COMPILER], { isRoot: false });
    assert.match(missingPackages('the dashboard in a browser', other) ?? '', /chromium/);
    assert.equal(missingPackages('kills and power cuts at system calls', other), undefined);
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
