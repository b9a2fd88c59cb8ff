import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import type { AnyTier } from './any-simulation.ts';
import { tierNamed } from './tier-simulation.ts';

/** Lines that stand together, and what comes in their place. */
interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** A bug that the simulation has to find, as a patch of one file. */
export interface Mutant {
  readonly name: string;
  readonly description: string;
  /** Of the simulation that finds it. */
  readonly tier: AnyTier;
  /** The plan of faults that finds it, a file of the folder `plans`; faults are drawn from seeds if undefined. */
  readonly plan: string | undefined;
  /** How long it takes to find it with that plan; until soon after the last fault if undefined. */
  readonly hours: number | undefined;
  /** Of the source, from the root. */
  readonly path: string;
  readonly hunks: readonly Hunk[];
}

const EXTENSION = '.patch';

/** The mutants of a folder, in the order of their names. */
export function readMutants(folder: string): readonly Mutant[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(EXTENSION))
    .sort()
    .map((name) => parseMutant(name.slice(0, -EXTENSION.length), readFileSync(join(folder, name), 'utf8')));
}

/** The first line describes the bug, further ones may name a tier, a plan and its hours, and a unified diff of one file follows. */
export function parseMutant(name: string, text: string): Mutant {
  const [head = '', path, ...others] = text.trimEnd().split(/^--- a\/(\S+)\n\+\+\+ b\/\1\n/m);
  const [diff] = others;
  if (path === undefined || diff === undefined || others.length > 1)
    throw new SyntaxError(`${name} is no patch of one file`);
  const [description = '', ...lines] = head.trimEnd().split('\n');
  const fieldOf = (field: string) =>
    lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
  const hours = fieldOf('Hours');
  const hunks = diff
    .split(/^@@ .*\n/m)
    .slice(1)
    .map(parseHunk);
  return {
    name,
    description,
    tier: tierNamed(fieldOf('Tier') ?? 'sparse'),
    plan: fieldOf('Plan'),
    hours: hours === undefined ? undefined : Number(hours),
    path,
    hunks,
  };
}

function parseHunk(text: string): Hunk {
  const lines = text.replace(/\n$/, '').split('\n');
  const without = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => line.slice(1))
      .join('\n');
  return { before: without('+'), after: without('-') };
}

/** The source with the bug. Where its lines stand does not matter, but they have to be there once. */
export function withBug({ name, path, hunks }: Mutant, source: string): string {
  return hunks.reduce((text, { before, after }) => {
    const parts = `\n${text}`.split(`\n${before}\n`);
    if (parts.length !== 2)
      throw new SyntaxError(
        `${name} does not apply: ${path} has these lines ${parts.length - 1} times:\n${before}`,
      );
    return parts.join(`\n${after}\n`).slice(1);
  }, source);
}

/** JavaScript as the build makes it, of one file by itself: types are taken away, not checked. */
export async function transpiled(source: string): Promise<string> {
  const { code } = await transform(source, {
    loader: 'ts',
    target: 'es2023',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replaceAll(/(from |import\()(["'])(\.{1,2}\/[^"']*)\.ts\2/g, '$1$2$3.js$2');
}
