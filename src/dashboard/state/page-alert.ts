import { type AlertCondition, conditionText, readCondition } from '../../contract/alert-figures.ts';

/** A condition that the page watches while it is open, as rules of the server have it. */
export interface PageAlert {
  readonly id: string;
  readonly account: string;
  /** Null: every open event. */
  readonly event: number | null;
  /** Null: every bucket. */
  readonly bucket: string | null;
  readonly when: AlertCondition;
}

/** More than anybody wants to hear of. */
export const MOST_ALERTS = 50;

export function writeAlerts(alerts: readonly PageAlert[]): string {
  return JSON.stringify(alerts.map((alert) => ({ ...alert, when: conditionText(alert.when) })));
}

/** The alerts of a text that `writeAlerts` made; what is none of them is left out, as anything may stand in a storage. */
export function readAlerts(text: string | null): readonly PageAlert[] {
  return listIn(text)
    .flatMap((entry) => alertIn(entry) ?? [])
    .slice(0, MOST_ALERTS);
}

function listIn(text: string | null): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function alertIn(entry: unknown): PageAlert | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { id, account, event, bucket, when } = entry as Readonly<Record<string, unknown>>;
  const condition = typeof when === 'string' ? readCondition(when) : undefined;
  if (condition === undefined || typeof id !== 'string' || typeof account !== 'string') return undefined;
  return {
    id,
    account,
    event: typeof event === 'number' ? event : null,
    bucket: typeof bucket === 'string' ? bucket : null,
    when: condition,
  };
}
