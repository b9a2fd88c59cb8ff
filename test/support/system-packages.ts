import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The browser that the tests of the page drive. */
export const CHROMIUM = '/usr/bin/chromium';

/** What cannot be tested without a package. */
export type Tested = 'the dashboard in a browser' | 'kills at system calls';

/** A package of Debian, by what it puts there. */
interface SystemPackage {
  readonly name: string;
  readonly puts: string;
  readonly tested: Tested;
}

const PACKAGES: readonly SystemPackage[] = [
  { name: 'chromium', puts: CHROMIUM, tested: 'the dashboard in a browser' },
  { name: 'gcc', puts: '/usr/bin/gcc', tested: 'kills at system calls' },
  { name: 'libc6-dev', puts: '/usr/include/stdio.h', tested: 'kills at system calls' },
];

/** What of a machine matters here. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  exists(path: string): boolean;
  /** Runs a command and throws when it fails. */
  run(command: string, args: readonly string[]): void;
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
  say: (text) => void process.stderr.write(text),
};

function missingOn({ exists }: Machine): readonly SystemPackage[] {
  return PACKAGES.filter(({ puts }) => !exists(puts));
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
    const names = missing.map(({ name }) => name);
    try {
      machine.run('apt-get', ['update', '-q']);
      machine.run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...names]);
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
