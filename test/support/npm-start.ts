import { readFileSync } from 'node:fs';

/** How `npm start` runs the program: its environment and the flags of Node. */
function readNpmStart(): {
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
} {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  const [, settings = '', flags = ''] =
    /&& (.*?)node (.*?) ?build\/program\/main\.js start$/.exec(scripts.start) ?? [];
  if (flags === '') throw new Error(`npm start runs something else: ${scripts.start}`);
  const env = settings.split(' ').flatMap((setting) => {
    const [name = '', value = ''] = setting.split('=');
    return name === '' ? [] : [[name, value] as const];
  });
  return { env: Object.fromEntries(env), flags: flags.split(' ') };
}

export const NPM_START = readNpmStart();

/** The flags of Node for so many accounts: with more than 20, what the page for operators says. */
export function flagsFor(accounts: number): readonly string[] {
  if (accounts <= 20) return NPM_START.flags;
  return [
    ...NPM_START.flags,
    '--max-semi-space-size=16',
    `--max-old-space-size=${Math.max(768, 4 * accounts)}`,
    `--initial-old-space-size=${Math.ceil(1.5 * accounts)}`,
  ];
}
