import { type PageAlert, readAlerts, writeAlerts } from './page-alert.ts';

/** The part of a browser's storage that is used. */
interface Items {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

/** What the pages of a browser remember of alerts. */
interface AlertStorage {
  alerts(): readonly PageAlert[];
  keep(alerts: readonly PageAlert[]): void;
  isSoundOn(): boolean;
  setSound(isOn: boolean): void;
}

export function createAlertStorage(items: Items): AlertStorage {
  return {
    alerts: () => readAlerts(items.getItem('alerts')),
    keep: (alerts) => items.setItem('alerts', writeAlerts(alerts)),
    isSoundOn: () => items.getItem('alert-sound') !== 'off',
    setSound: (isOn) => items.setItem('alert-sound', isOn ? 'on' : 'off'),
  };
}
