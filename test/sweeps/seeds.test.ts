import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CHANCE = /Math\.random\(\)|randomInt\(/;
/** The first is this one, and the second tests a Math.random that is no chance. */
const OTHERS = ['sweeps/seeds.test.ts', 'simulation/virtual-globals.test.ts'];
const PRINTS_SEED = /`(with )?seed \$\{/;

/** A program draws its seed; the sweep that it runs may be the one that prints it. */
function withImports(file: string): string {
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/from '(\.\/[\w-]+\.ts)'/g)].map(([, path = '']) =>
    readFileSync(join(dirname(file), path), 'utf8'),
  );
  return [text, ...imported].join('\n');
}

describe('tests and sweeps that leave something to chance', () => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !OTHERS.includes(name))
    .map((name) => join(ROOT, 'test', name))
    .filter((file) => CHANCE.test(readFileSync(file, 'utf8')));

  it('draw nothing but a seed, and print it', () => {
    assert.ok(files.length > 10, `${files.length} files`);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      const draws = text.split('\n').filter((line) => CHANCE.test(line));
      for (const line of draws) assert.match(line, /seed/i, `${relative(ROOT, file)}: ${line.trim()}`);
      assert.match(withImports(file), PRINTS_SEED, `${relative(ROOT, file)} prints no seed`);
    }
  });
});
