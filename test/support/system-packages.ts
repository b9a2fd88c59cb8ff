import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The browser that the tests of the page drive. */
export const CHROMIUM = '/usr/bin/chromium';

/** What is missing on this machine, or undefined. */
export function missingPackages(): string | undefined {
  return existsSync(CHROMIUM) ? undefined : `the package chromium, which puts a browser at ${CHROMIUM}`;
}

/** Puts missing packages there where that can be done: on Debian, as root. */
function install(): void {
  if (missingPackages() === undefined) return;
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    execFileSync('apt-get', ['update', '-q'], options);
    execFileSync('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'chromium'], options);
  }
  const missing = missingPackages();
  if (missing === undefined) return;
  process.stderr.write(`\nNOT TESTED: the dashboard in a browser. Missing: ${missing}.\n\n`);
  if (process.env.CI === 'true') process.exitCode = 1;
}

if (process.argv[1]?.endsWith('system-packages.js')) install();
