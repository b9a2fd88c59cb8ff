import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// Tests are run from the folder of the package.
const read = (path: string): string => readFileSync(join(process.cwd(), path), 'utf8');

describe('the error codes of the bus', () => {
  it('are those that its page explains', () => {
    const declared = [...read('src/bus/bus-error.ts').matchAll(/^ {2}\| '(BUS_\w+)'/gm)].map(
      ([, code]) => code,
    );
    const explained = [...read('src/bus/README.md').matchAll(/^\| `(BUS_\w+)` \|/gm)].map(([, code]) => code);
    assert.ok(declared.length > 10);
    assert.deepEqual(explained.sort(), declared.sort());
  });
});
