import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Mutant, transpiled, withBug } from './mutant.ts';

/** A copy of the build, into which one mutant at a time is put. */
export interface MutantCopy {
  /** The program that simulates. */
  readonly runner: URL;
  /** Puts a mutant into it, calls `act`, and takes it out again. */
  with<T>(mutant: Mutant, act: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** Copies the build at `root`; its packages are shared. */
export function copyBuild(root: string): MutantCopy {
  const folder = mkdtempSync(join(tmpdir(), 'tallywire-mutants-'));
  const isNeeded = (path: string) => !/\.(?:map|d\.ts)$|[/\\]bench$/.test(path);
  cpSync(join(root, 'build'), join(folder, 'build'), { recursive: true, filter: isNeeded });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    runner: pathToFileURL(join(folder, 'build/test/simulation/run-simulate.js')),
    async with(mutant, act) {
      const target = join(folder, 'build', mutant.path.replace(/\.ts$/, '.js'));
      const built = readFileSync(target);
      const source = readFileSync(join(root, mutant.path), 'utf8');
      writeFileSync(target, await transpiled(withBug(mutant, source)));
      try {
        return await act();
      } finally {
        writeFileSync(target, built);
      }
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
