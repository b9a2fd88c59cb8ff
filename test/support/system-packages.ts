import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isOldServer } from '../../src/bus/nats/server-version.ts';

/** The browser that the tests of the page drive. */
export const CHROMIUM = '/usr/bin/chromium';

/** The Python that has the packages of Debian; others of the machine have theirs elsewhere. */
export const PYTHON = '/usr/bin/python3';
export const MYPY = '/usr/bin/mypy';
const PYTHON_PACKAGES = '/usr/lib/python3/dist-packages';

/** Where a NATS server is put that no release of the machine offers; found like one that was there. */
export const NATS_SERVER = '/usr/local/bin/nats-server';

/**
 * Takes the server of Debian 13 from the machine's own mirror, with lists that are private to this, and unpacks it
 * without installing it: earlier releases have one that is too old for us, and the package would start a service.
 */
const INSTALL_NATS_SERVER = `set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p lists/partial
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > debian.list
private="-q -o Dir::Etc::SourceList=$folder/debian.list -o Dir::Etc::SourceParts=-"
private="$private -o Dir::State::Lists=$folder/lists -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache="
apt-get $private update
apt-get $private download nats-server
dpkg -x nats-server_*.deb tree
install -m 755 tree/usr/sbin/nats-server ${NATS_SERVER}`;

/** What cannot be tested without a package. */
export type Tested =
  | 'the dashboard in a browser'
  | 'kills and power cuts at system calls'
  | 'the bus on NATS'
  | 'the client in Python';

/** A package of Debian, by what it puts there. */
interface SystemPackage {
  readonly name: string;
  readonly puts: string;
  readonly tested: Tested;
}

const PACKAGES: readonly SystemPackage[] = [
  { name: 'chromium', puts: CHROMIUM, tested: 'the dashboard in a browser' },
  { name: 'gcc', puts: '/usr/bin/gcc', tested: 'kills and power cuts at system calls' },
  { name: 'libc6-dev', puts: '/usr/include/stdio.h', tested: 'kills and power cuts at system calls' },
  { name: 'nats-server, 2.10.23 or later', puts: NATS_SERVER, tested: 'the bus on NATS' },
  { name: 'python3', puts: PYTHON, tested: 'the client in Python' },
  { name: 'mypy', puts: MYPY, tested: 'the client in Python' },
  ...['httpx', 'websockets', 'pandas', 'matplotlib'].map((name) => ({
    name: `python3-${name}`,
    puts: `${PYTHON_PACKAGES}/${name}`,
    tested: 'the client in Python' as const,
  })),
];

/** What of a machine matters here. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  exists(path: string): boolean;
  /** Runs a command and throws when it fails. */
  run(command: string, args: readonly string[]): void;
  /** What a command prints; empty when it fails. */
  output(command: string, args: readonly string[]): string;
  say(text: string): void;
}

const THIS_MACHINE: Machine = {
  env: process.env,
  isRoot: process.getuid?.() === 0,
  exists: existsSync,
  run(command, args) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync(command, [...args], { stdio: 'inherit', env });
  },
  output(command, args) {
    try {
      return execFileSync(command, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return '';
    }
  },
  say: (text) => void process.stderr.write(text),
};

/** A NATS server that the bus accepts: the one that TALLYWIRE_NATS_SERVER names, or one of the usual places. */
export function findNatsServer({ env, exists, output }: Machine = THIS_MACHINE): string | undefined {
  const named = env.TALLYWIRE_NATS_SERVER;
  const folders = [...(env.PATH ?? '').split(':'), '/usr/sbin'].filter((folder) => folder !== '');
  const places = named ? [named] : [NATS_SERVER, ...folders.map((folder) => `${folder}/nats-server`)];
  return places.find((place) => {
    if (!exists(place)) return false;
    const [, version] = /v?(\d+\.\d+\.\d+)/.exec(output(place, ['--version'])) ?? [];
    return version !== undefined && !isOldServer(version);
  });
}

function missingOn(machine: Machine): readonly SystemPackage[] {
  return PACKAGES.filter(({ puts }) =>
    puts === NATS_SERVER ? findNatsServer(machine) === undefined : !machine.exists(puts),
  );
}

/** What a test needs and is missing, in words, or undefined. */
export function missingPackages(tested: Tested, machine: Machine = THIS_MACHINE): string | undefined {
  const missing = missingOn(machine).filter((each) => each.tested === tested);
  if (missing.length === 0) return undefined;
  return missing.map(({ name, puts }) => `the package ${name}, which puts ${puts} there`).join(' and ');
}

/** Skips a test that lacks a package, and says so; with `CI=true` it fails instead. */
export function requirePackages(test: Mocha.Context, tested: Tested): void {
  const missing = missingPackages(tested);
  if (missing === undefined) return;
  if (process.env.CI === 'true') throw new Error(`this cannot be tested without ${missing}`);
  process.stderr.write(`NOT TESTED: ${missing} is missing\n`);
  test.skip();
}

/**
 * Puts missing packages there where that can be done: on Debian, as root. Returns whether the tests may go on: those
 * that lack a package leave themselves out, but where everything is to be tested, with `CI=true`, that will not do.
 */
export function installPackages(machine: Machine = THIS_MACHINE): boolean {
  const missing = missingOn(machine);
  if (missing.length > 0 && machine.isRoot && machine.exists('/etc/debian_version')) {
    const names = missing.filter(({ puts }) => puts !== NATS_SERVER).map(({ name }) => name);
    try {
      machine.run('apt-get', ['update', '-q']);
      if (names.length > 0) {
        machine.run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...names]);
      }
      if (names.length < missing.length) machine.run('sh', ['-c', INSTALL_NATS_SERVER]);
    } catch (error) {
      machine.say(`\n${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  const untested = new Set(missingOn(machine).map(({ tested }) => tested));
  for (const tested of untested) {
    machine.say(`\nNOT TESTED: ${tested}. Missing: ${missingPackages(tested, machine)}.\n\n`);
  }
  return untested.size === 0 || machine.env.CI !== 'true';
}

if (process.argv[1]?.endsWith('system-packages.js') && !installPackages()) process.exitCode = 1;
