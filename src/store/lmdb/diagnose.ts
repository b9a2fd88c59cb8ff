import { type Backup, backupsOf } from './backup.ts';
import { type CheckpointFinding, type CopyOutcome, copyParts, isDamaged } from './copy-parts.ts';
import { environmentPath, hasEnvironment, PART_NAMES } from './environment.ts';
import { describeFinding } from './findings.ts';
import { missingStore } from './store-traces.ts';

/** `unopenable` is damaged beyond opening; of `unknown` nothing is proven. */
export type Condition = 'sound' | 'damaged' | 'unopenable' | 'unknown';

interface StoreCondition {
  readonly condition: Condition;
  /** What is wrong, as sentences. */
  readonly found: readonly string[];
}

interface PartCondition {
  readonly part: string;
  readonly rows: number;
  readonly isDamaged: boolean;
}

/** What is to be said about a data folder. */
export interface Diagnosis extends StoreCondition {
  readonly layout: number | null;
  readonly parts: readonly PartCondition[];
  readonly checkpoints: readonly CheckpointFinding[];
  readonly backups: readonly (Backup & StoreCondition)[];
}

function conditionOf(outcome: CopyOutcome): StoreCondition {
  if (outcome.is !== 'read') return { condition: outcome.is, found: [outcome.reason] };
  const found = outcome.parts.filter(isDamaged).map(describeFinding);
  return { condition: found.length === 0 ? 'sound' : 'damaged', found };
}

/** Reads the store of a folder and its backups in other processes. Writes nothing; an engine may be running on it. */
export async function diagnose(folder: string): Promise<Diagnosis> {
  if (!hasEnvironment(folder)) throw missingStore(folder);
  const outcome = await copyParts({ source: environmentPath(folder), parts: PART_NAMES });
  const backups: (Backup & StoreCondition)[] = [];
  for (const backup of backupsOf(folder)) {
    const copied = await copyParts({ source: environmentPath(backup.path), parts: PART_NAMES });
    backups.push({ ...backup, ...conditionOf(copied) });
  }
  const read = outcome.is === 'read' ? outcome : undefined;
  return {
    ...conditionOf(outcome),
    layout: read?.layout ?? null,
    parts: (read?.parts ?? []).map((finding) => ({
      part: finding.part,
      rows: finding.rows,
      isDamaged: isDamaged(finding),
    })),
    checkpoints: read?.checkpoints ?? [],
    backups,
  };
}
