import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { condensed, differences, firstDifference, readResult, showDifference } from './recorded-digests.ts';
import { loadObservations, runRecorded, saveObservations } from './recorded-run.ts';

/**
 * `node build/test/sweeps/run-recorded-run.js LOG [--out FILE] [--against FILE] [--texts DIR]`: LOG is a data folder or
 * a file that `--save FILE` wrote. With `--against` every difference is printed, and the exit code is 1.
 * `--condensed FILE` writes the digests in few lines.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    observations: { type: 'string' },
    save: { type: 'string' },
    out: { type: 'string' },
    condensed: { type: 'string' },
    against: { type: 'string' },
    texts: { type: 'string' },
    store: { type: 'string', default: 'lmdb' },
    'full-every': { type: 'string' },
    'brief-every': { type: 'string' },
  },
});

function countOf(text: string | undefined, otherwise: number): number {
  const count = text === undefined ? otherwise : Number(text);
  if (count === Number.POSITIVE_INFINITY || (Number.isInteger(count) && count > 0)) return count;
  throw new RangeError(`expected a number above 0, was ${text}`);
}

const report = (line: string) => process.stdout.write(`${line}\n`);
const [path] = positionals;
if (path === undefined) throw new RangeError('expected a data folder or a file of a log');
if (values.store !== 'lmdb' && values.store !== 'memory') {
  throw new RangeError(`a store is lmdb or memory, was ${values.store}`);
}
const startedMs = performance.now();
const log = await loadObservations(path, countOf(values.observations, Number.POSITIVE_INFINITY));
report(`${log.length} observations from ${path}`);
if (values.save !== undefined) {
  saveObservations(values.save, log);
  report(`written to ${values.save}`);
} else {
  const result = await runRecorded({
    log,
    store: values.store,
    fullEvery: countOf(values['full-every'], 1_000),
    briefEvery: countOf(values['brief-every'], 50),
    texts: values.texts,
    report,
  });
  for (const [group, total] of Object.entries(result.totals)) report(`${group}: ${total}`);
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(result, null, 2)}\n`);
  if (values.condensed !== undefined) {
    writeFileSync(values.condensed, `${JSON.stringify(condensed(result), null, 2)}\n`);
  }
  if (values.against !== undefined) {
    const before = readResult(values.against);
    const { served, documents } = differences(before, result);
    for (const line of documents) report(`document, ${line}`);
    for (const line of served) report(line);
    const first = firstDifference(before, result);
    if (first !== undefined && before.texts !== undefined && result.texts !== undefined) {
      report(showDifference(first, before.texts, result.texts));
    }
    report(served.length === 0 ? 'the same was served' : `${served.length} differences in what was served`);
    if (served.length > 0) process.exitCode = 1;
  }
}
report(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
