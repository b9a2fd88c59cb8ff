import { type PageAlert, readAlerts, writeAlerts } from './page-alert.ts';

/** The part of a browser's storage that is used. */
interface Items {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

/** Alerts of the same alert, event and bucket are so far apart; pages in other tabs see the same crossing. */
const APART_MS = 10_000;

/** What the pages of a browser remember of alerts. */
export interface AlertStorage {
  alerts(): readonly PageAlert[];
  keep(alerts: readonly PageAlert[]): void;
  isSoundOn(): boolean;
  setSound(isOn: boolean): void;
  /** Whether nobody was told of this a moment ago; notes that somebody is told now. */
  claim(key: string, now: number): boolean;
}

export function createAlertStorage(items: Items): AlertStorage {
  return {
    alerts: () => readAlerts(items.getItem('alerts')),
    keep: (alerts) => items.setItem('alerts', writeAlerts(alerts)),
    isSoundOn: () => items.getItem('alert-sound') !== 'off',
    setSound: (isOn) => items.setItem('alert-sound', isOn ? 'on' : 'off'),
    claim(key, now) {
      const told = readTimes(items.getItem('alerts-told')).filter(([, at]) => Math.abs(now - at) < APART_MS);
      if (told.some(([each]) => each === key)) return false;
      items.setItem('alerts-told', JSON.stringify([...told, [key, now]]));
      return true;
    },
  };
}

function readTimes(text: string | null): readonly (readonly [string, number])[] {
  try {
    // Nobody else writes it; what another program left there is dropped with its time.
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((each) => typeof each?.[1] === 'number') : [];
  } catch {
    return [];
  }
}
