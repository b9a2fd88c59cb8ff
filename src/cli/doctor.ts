import { Command } from 'commander';
import type { Condition, Diagnosis } from '../store/lmdb/diagnose.ts';
import { EXIT_FAILED } from './failure.ts';
import { loadSettings } from './load-config.ts';
import { addManual } from './manual.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly repair?: true;
}

const SETTINGS_READ = ['data', 'json'] as const;

const EXIT_NOT_EXAMINED = 3;

const EXIT_CODES: Readonly<Record<Condition, number>> = {
  sound: 0,
  damaged: EXIT_FAILED,
  unopenable: EXIT_FAILED,
  unknown: EXIT_NOT_EXAMINED,
};

const SENTENCES: Readonly<Record<Condition, string>> = {
  sound: 'sound: every row matches its checksum, and no row is missing',
  damaged: 'damaged',
  unopenable: 'damaged so that it cannot be opened',
  unknown: 'could not be examined, which proves nothing',
};

/** What the operator can do, as a sentence. */
function adviceOf({ condition, backups }: Diagnosis, data: string): string | null {
  const hasSoundBackup = backups.some((backup) => backup.condition === 'sound');
  const command = `tallywire doctor --repair --data ${data}`;
  switch (condition) {
    case 'sound':
      return null;
    case 'unknown':
      return 'nothing was changed; try again when the machine has memory and time to spare';
    case 'damaged':
      return (
        `stop the engine and run \`${command}\`, or start it: a new store is made of all rows that can be read` +
        `${hasSoundBackup ? ' and, where some are missing, of the newest sound backup' : ''}; the old one is kept beside it`
      );
    case 'unopenable':
      return hasSoundBackup
        ? `stop the engine and run \`${command}\`, or start it: the newest sound backup takes its place; the old one is kept beside it`
        : 'nothing can be read of it and there is no sound backup: put one into its folder backups, or begin anew in another folder';
  }
}

function describeDiagnosis(diagnosis: Diagnosis, data: string, now: number): string {
  const { condition, found, parts, checkpoints, backups } = diagnosis;
  const lines = [`${data}: ${SENTENCES[condition]}`, ...found.map((each) => `  ${each}`)];
  if (parts.length > 0) {
    lines.push('parts');
    for (const { part, rows, isDamaged } of parts) {
      lines.push(`  ${part.padEnd(20)}${String(rows).padStart(10)} good rows${isDamaged ? ', damaged' : ''}`);
    }
  }
  lines.push(checkpoints.length === 0 ? 'no checkpoint' : 'checkpoints');
  for (const { seq, isGood } of checkpoints) lines.push(`  seq ${seq}: ${isGood ? 'good' : 'damaged'}`);
  lines.push(backups.length === 0 ? 'no backup' : 'backups');
  for (const backup of backups) {
    const hours = ((now - backup.at) / 3_600_000).toFixed(1);
    lines.push(`  ${backup.path}: ${hours} h old, ${SENTENCES[backup.condition]}`);
  }
  const advice = adviceOf(diagnosis, data);
  if (advice !== null) lines.push(advice);
  return lines.join('\n');
}

/** Resolves to the exit code. */
async function run({ repair, ...flags }: Flags, proc: ProcessLike): Promise<number> {
  const { data, json } = loadSettings(SETTINGS_READ, { flags, env: proc.env });
  if (repair) return repairFolder(data, json, proc);
  const { diagnose } = await import('../store/lmdb/diagnose.ts');
  const diagnosis = await diagnose(data);
  const fact = { type: 'diagnosis', data, ...diagnosis, advice: adviceOf(diagnosis, data) };
  proc.stdout.write(`${json ? JSON.stringify(fact) : describeDiagnosis(diagnosis, data, Date.now())}\n`);
  return EXIT_CODES[diagnosis.condition];
}

async function repairFolder(data: string, json: boolean, proc: ProcessLike): Promise<number> {
  const { lockFolder } = await import('../store/lock.ts');
  const { repairStore } = await import('../store/lmdb/open-with-recovery.ts');
  const lock = await lockFolder(data);
  try {
    const condition = await repairStore(data, ({ message, details }) => {
      proc.stdout.write(
        json
          ? `${JSON.stringify({ type: 'repair', message, ...details })}\n`
          : `${message}\n${Object.entries(details)
              .map(
                ([name, value]) =>
                  `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`,
              )
              .join('')}`,
      );
    });
    return condition === 'unknown' ? EXIT_NOT_EXAMINED : 0;
  } finally {
    await lock.release();
  }
}

export function doctorCommand(proc: ProcessLike, exitWith: (code: number) => void): Command {
  const command = new Command('doctor')
    .option('--repair', 'make a new store of all that can be read and of the newest sound backup')
    .action(async (flags: Flags) => exitWith(await run(flags, proc)));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'tell what is damaged in a data folder, and what can be saved',
    description:
      'Reads every row of the store and of its backups in other processes, as damage may end the process that reads ' +
      'it, and compares the parts with each other. Changes nothing without --repair; an engine may be running on the ' +
      'folder. With --repair, and no engine running, a new store takes the place of a damaged one, which is kept ' +
      'beside it; what is lost is listed. The engine does the same by itself when it starts on a damaged folder.',
    examples: [
      ['tallywire doctor --data .tallywire', 'is everything in order?'],
      ['tallywire doctor --data .tallywire --repair', 'save what can be saved'],
    ],
    exitCodes: [
      [0, 'sound, or repaired with --repair'],
      [1, 'damaged; or there is no store, or it could not be repaired'],
      [2, 'bad usage or configuration'],
      [3, 'it could not be examined, which proves nothing'],
    ],
  });
}
