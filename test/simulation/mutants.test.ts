import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseMutant, readMutants, transpiled, withBug } from './mutant.ts';
import { simulationOf } from './tier-simulation.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'test/simulation/mutants');
const plans = join(folder, 'plans');

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

const PATCH = `Counts one too many.
Tier: cluster
Plan: kills.json
Hours: 0.25
--- a/src/count.ts
+++ b/src/count.ts
@@ -3,3 +3,3 @@ function count
 function count(): number {
-  return n;
+  return n + 1;
 }
`;
const SOURCE = 'const n = 1;\n\nfunction count(): number {\n  return n;\n}\n';

describe('a mutant', () => {
  it('is read from a patch, and applies wherever its lines are', () => {
    const mutant = parseMutant('01-count', PATCH);
    assert.equal(mutant.description, 'Counts one too many.');
    assert.equal(mutant.tier, 'cluster');
    assert.equal(mutant.plan, 'kills.json');
    assert.equal(mutant.hours, 0.25);
    assert.equal(mutant.path, 'src/count.ts');
    const buggy = SOURCE.replace('return n;', 'return n + 1;');
    assert.equal(withBug(mutant, SOURCE), buggy);
    assert.equal(withBug(mutant, `// More above.\n${SOURCE}`), `// More above.\n${buggy}`);
  });

  it('does not apply where its lines are missing, or are there twice', () => {
    const mutant = parseMutant('01-count', PATCH);
    assert.throws(() => withBug(mutant, SOURCE.replace('n;\n}', 'm;\n}')), /0 times/);
    assert.throws(() => withBug(mutant, SOURCE + SOURCE), /2 times/);
  });

  it('is transpiled to modules that import what the build has', async () => {
    const source = 'import type { A } from "./a.ts";\nimport { b } from "../b.ts";\nexport const c: A = b;\n';
    const code = await transpiled(source);
    assert.match(code, /from ["']\.\.\/b\.js["']/);
    assert.doesNotMatch(code, /\.ts["']|: A/);
    await assert.rejects(transpiled('const = ;'));
  });
});

describe('the mutants', () => {
  const mutants = readMutants(folder);

  it('all apply to the present sources, and can be run', async () => {
    assert.ok(mutants.length >= 25);
    for (const mutant of mutants) {
      const source = readFileSync(join(root, mutant.path), 'utf8');
      const code = await transpiled(withBug(mutant, source));
      assert.notEqual(code, await transpiled(source), mutant.name);
      assert.match(mutant.description, /^[A-Z].{10,}\.$/, mutant.name);
    }
  });

  it('name plans that there are, and every plan is named', async () => {
    const named = mutants.flatMap((mutant) => mutant.plan ?? []);
    assert.deepEqual([...new Set(named)].sort(), readdirSync(plans).sort());
    for (const { tier, plan } of mutants) {
      const { parsePlan } = await simulationOf(tier);
      if (plan !== undefined) parsePlan(JSON.parse(readFileSync(join(plans, plan), 'utf8')));
    }
  });
});
