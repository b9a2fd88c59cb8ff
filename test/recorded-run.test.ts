import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { condensed, readCondensed } from './sweeps/recorded-digests.ts';
import { loadObservations, runRecorded } from './sweeps/recorded-run.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

const AGAIN =
  'npm run recorded -- test/recorded/log.jsonl.br --full-every 1000 --brief-every 80 --condensed test/recorded/digests.json';

describe('a recorded log', () => {
  it('is served as it was when it was recorded, byte for byte', async function () {
    this.timeout(120_000);
    const expected = readCondensed(join(root, 'test/recorded/digests.json'));
    const log = await loadObservations(join(root, 'test/recorded/log.jsonl.br'));
    const result = await runRecorded({ log, store: 'lmdb', ...expected.plan, report: () => undefined });
    const found = condensed(result);
    const others = (['answers', 'frames'] as const).flatMap((section) =>
      Object.keys({ ...expected[section], ...found[section] }).filter(
        (part) => expected[section][part] !== found[section][part],
      ),
    );
    assert.deepEqual(
      others,
      [],
      `something else is served than was recorded; if it is meant to be so: ${AGAIN}`,
    );
    assert.deepEqual(found, expected);
  });
});
