import type { AlertPlace, AlertRow, StoredAlerts } from '../store/store.ts';
import type { RuleState } from './evaluate.ts';
import type { AlertRule, QueuedAlert } from './rule.ts';

/** Rows hold the JSON of what was put there. */

export function storedRules(stored: StoredAlerts): readonly AlertRule[] {
  return stored.rows('rule').map(({ text }) => JSON.parse(text) as AlertRule);
}

export function storedStates(stored: StoredAlerts): ReadonlyMap<string, RuleState> {
  return new Map(stored.rows('state').map(({ place, text }) => [place[1], JSON.parse(text) as RuleState]));
}

/** In the order of their numbers. */
export function storedAlerts(
  stored: StoredAlerts,
  kind: 'waiting' | 'dead',
  rule?: string,
): readonly QueuedAlert[] {
  return stored.rows(kind, rule).map(({ text }) => JSON.parse(text) as QueuedAlert);
}

/** The seq up to which outputs were looked at; undefined before the first time. */
export function storedUpTo(stored: StoredAlerts): number | undefined {
  const [row] = stored.rows('upTo');
  return row === undefined ? undefined : Number(row.text);
}

export function ruleRow(rule: AlertRule): AlertRow {
  return { place: ['rule', rule.id, 0], text: JSON.stringify(rule) };
}

export function stateRow(rule: string, state: RuleState): AlertRow {
  return { place: ['state', rule, 0], text: JSON.stringify(state) };
}

export function upToRow(seq: number): AlertRow {
  return { place: ['upTo', '', 0], text: String(seq) };
}

export function alertRow(kind: 'waiting' | 'dead', alert: QueuedAlert): AlertRow {
  return { place: placeOf(kind, alert), text: JSON.stringify(alert) };
}

export function placeOf(kind: 'waiting' | 'dead', { rule, n }: QueuedAlert): AlertPlace {
  return [kind, rule, n];
}

/** The places of everything that is kept of a rule. */
export function placesOf(stored: StoredAlerts, rule: string): readonly AlertPlace[] {
  return (['rule', 'state', 'waiting', 'dead'] as const).flatMap((kind) =>
    stored.rows(kind, rule).map(({ place }) => place),
  );
}
