import type { ListedAlert, ListedRule } from '../alerts/alert-commands.ts';
import { textTable } from './table.ts';

const RULE_HEADINGS = [
  'ID',
  'OWNER',
  'ACCOUNT',
  'EVENT',
  'BUCKET',
  'WHEN',
  'TARGET',
  'ALERTS',
  'WAITING',
  'DEAD',
];
const DEAD_HEADINGS = ['ID', 'AT', 'EVENT', 'BUCKET', 'VALUE', 'TRIES', 'FAILURE'];

/** `-` stands for nothing. */
const cell = (value: string | number | null) => (value === null ? '-' : String(value));

/** One line per rule under its headings. */
export function rulesTable(rules: readonly ListedRule[]): string {
  if (rules.length === 0) return 'There are no rules.\n';
  const rows = rules.map(({ id, owner, account, event, bucket, when, target, alerts, waiting, dead }) =>
    [id, owner, account, event, bucket, when, target, alerts, waiting, dead].map(cell),
  );
  return textTable([RULE_HEADINGS, ...rows]);
}

/** One line per alert under its headings. */
export function deadTable(alerts: readonly ListedAlert[]): string {
  if (alerts.length === 0) return 'There are no dead alerts.\n';
  const rows = alerts.map(({ id, at, event, bucket, value, tries, failure }) =>
    [id, new Date(at).toISOString(), event, bucket, value, tries, failure].map(cell),
  );
  return textTable([DEAD_HEADINGS, ...rows]);
}
