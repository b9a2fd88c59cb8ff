import { cutToDifference, type Difference } from '../research/difference.ts';
import { type Verdict, verify } from '../research/verify.ts';
import type { Store } from '../store/store.ts';
import type { ProcessLike } from './process-like.ts';
import { createProgress } from './progress.ts';

function describeDifference(difference: Difference): string {
  const { place, seq, kept, recomputed } = cutToDifference(difference);
  return [
    `different: ${place} at seq ${seq}`,
    `  kept        ${kept ?? 'nothing'}`,
    `  recomputed  ${recomputed ?? 'nothing'}`,
  ].join('\n');
}

function describeVerdict(verdict: Verdict): string {
  const { fromSeq, toSeq, streams, latest, checkpoints, simulated, difference } = verdict;
  if (difference !== null) return describeDifference(difference);
  const rows = streams.map(
    ({ stream, count, sha256 }) => `${stream.padEnd(10)}${String(count).padStart(10)}  ${sha256}`,
  );
  const range = toSeq < fromSeq ? 'nothing kept yet' : `seq ${fromSeq} to ${toSeq}`;
  const derived = `${latest} latest values, ${checkpoints} checkpoints, ${simulated} simulations`;
  return [...rows, `identical: ${range}, ${derived}`].join('\n');
}

/** Verifies and prints the verdict; resolves to whether everything is identical. */
export async function printVerification(
  store: Store,
  { json, simulations }: { readonly json: boolean; readonly simulations: number | undefined },
  proc: ProcessLike,
): Promise<boolean> {
  const progress = createProgress(proc.stderr);
  const verdict = await verify(store, {
    onProgress: (seq, head) => progress.show(`verified seq ${seq} of ${head}`, seq / head),
    ...(simulations !== undefined && { simulations }),
  });
  progress.end();
  const { difference, ...rest } = verdict;
  const shown = { ...rest, difference: difference && cutToDifference(difference) };
  const fact = { type: difference === null ? 'identical' : 'different', ...shown };
  proc.stdout.write(`${json ? JSON.stringify(fact) : describeVerdict(verdict)}\n`);
  return difference === null;
}
