import { holds, isBack } from '../../alerts/condition.ts';
import { type AlertValue, alertValues } from './alert-values.ts';
import type { PageAlert } from './page-alert.ts';
import type { State } from './records.ts';

/** A condition that has become true. */
export interface FiredAlert extends Omit<AlertValue, 'value'> {
  /** The same for each crossing of the same alert, event and bucket. */
  readonly key: string;
  readonly alert: PageAlert;
  readonly value: number;
}

/** Whether the condition of an alert, event and bucket held when last looked at. */
export type Marks = ReadonlyMap<string, boolean>;

/**
 * The alerts whose condition became true since `marks`. What holds already when it is first seen has to become true
 * anew, and an unknown figure changes nothing, as with rules of the server.
 */
export function watchAlerts(
  alerts: readonly PageAlert[],
  marks: Marks,
  state: Pick<State, 'accounts' | 'status'>,
): { readonly marks: Marks; readonly fired: readonly FiredAlert[] } {
  const next = new Map<string, boolean>();
  const fired: FiredAlert[] = [];
  for (const alert of alerts) {
    for (const { value, ...subject } of alertValues(alert, state)) {
      const key = [alert.id, subject.event, subject.bucket].join(' ');
      const before = marks.get(key);
      if (value === null) {
        if (before !== undefined) next.set(key, before);
        continue;
      }
      const isNow = before === true ? !isBack(alert.when, null, value) : holds(alert.when, value);
      next.set(key, isNow);
      if (before === false && isNow) fired.push({ key, alert, value, ...subject });
    }
  }
  return { marks: next, fired };
}
