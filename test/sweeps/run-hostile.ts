import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { type Suffered, underAttack } from './under-attack.ts';

/**
 * `node build/test/sweeps/run-hostile.js 1000 history`: so many connections to each attack, and only those attacks whose
 * name has the word.
 */
const [count = '1000', word = ''] = process.argv.slice(2);
const connections = Number(count);
if (!Number.isInteger(connections) || connections < 1) {
  throw new RangeError(`expected a number of connections, was ${count}`);
}
/** To compare with: as long as an attack takes. */
const NOBODY: Attack = {
  name: 'no attack at all',
  async run() {
    await delay(40_000);
    return 'good clients alone';
  },
};
const attacks = [NOBODY, ...ATTACKS].filter(({ name }) => name.includes(word));
if (attacks.length === 0) throw new RangeError(`no attack has the word ${word} in its name`);

const MOST_GROWN_MB = 20;

const say = (line: string) => process.stdout.write(`${line}\n`);

say(`${connections} connections to each attack; the goal is at most +${MOST_GROWN_MB} MB`);
say('  memory   p99 of answers   p99 of gaps in the feed   attack');
let failures = 0;
for (const attack of attacks) {
  const suffered = await underAttack(attack, { connections, mostMs: Number.POSITIVE_INFINITY }).catch(
    (error: unknown) => String(error),
  );
  const faults = typeof suffered === 'string' ? [suffered] : faultsIn(suffered);
  if (typeof suffered !== 'string') say(rowOf(suffered, faults.length === 0));
  for (const fault of faults) say(`    wrong under ${attack.name}: ${fault}`);
  if (faults.length > 0) failures += 1;
}
say(
  failures === 0
    ? `held: all ${attacks.length} stayed within +${MOST_GROWN_MB} MB, and every good client was served`
    : `not held: ${failures} of ${attacks.length}`,
);
process.exitCode = failures === 0 ? 0 : 1;

function faultsIn({ memoryMb, p99Ms, wrong }: Suffered): readonly string[] {
  return [
    ...(memoryMb > MOST_GROWN_MB ? [`memory rose by ${memoryMb.toFixed(1)} MB`] : []),
    ...(p99Ms === null ? ['no good client was answered'] : []),
    ...wrong,
  ];
}

function rowOf(suffered: Suffered, isHeld: boolean): string {
  const { name, note, memoryMb, p99Ms, gapMs, connectionsLeft } = suffered;
  const memory = `${memoryMb < 0 ? '' : '+'}${memoryMb.toFixed(1)} MB`.padStart(9);
  const times = msText(p99Ms).padStart(13) + msText(gapMs).padStart(24);
  return `${memory}${times}   ${name}: ${isHeld ? 'held' : 'NOT HELD'}; ${note}, ${connectionsLeft} connections left`;
}

function msText(ms: number | null): string {
  return ms === null ? 'none' : `${ms.toFixed(1)} ms`;
}
