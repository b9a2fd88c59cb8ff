import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Accessibility violations of any weight, each with the element. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  // Evaluated as text, since the policy of the page allows no other script.
  await page.evaluate(AXE);
  const found = await page.evaluate<{ readonly violations: readonly Violation[] }>('axe.run()');
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
