import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Serious accessibility violations, each with the element. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated as text, since the policy of the page allows no other script.
  await page.evaluate(AXE);
  const found = await page.evaluate<{ readonly violations: readonly Violation[] }>('axe.run()');
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
