import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createAlertStorage } from '../state/alert-storage.ts';
import { type FiredAlert, type Marks, watchAlerts } from '../state/alert-watch.ts';
import { MOST_ALERTS, type PageAlert } from '../state/page-alert.ts';
import type { Store } from '../state/store.ts';
import { claim } from './claim.ts';
import { notify, sound } from './notify.ts';

/** An alert that the page tells of. */
export interface ToldAlert extends FiredAlert {
  readonly at: number;
}

/** The alerts of the page: which there are, what came of them, and how they are told. */
export interface PageAlerts {
  readonly alerts: readonly PageAlert[];
  /** The newest first. */
  readonly told: readonly ToldAlert[];
  readonly isSoundOn: boolean;
  add(alert: Omit<PageAlert, 'id'>): void;
  remove(id: string): void;
  setSound(isOn: boolean): void;
}

const MOST_TOLD = 10;

interface TellOptions {
  readonly textOf: (fired: FiredAlert) => { readonly title: string; readonly body: string };
  readonly onGo: (fired: FiredAlert) => void;
}

/** Watches every frame that the page gets, also while nobody sees the page. */
export function useAlerts(store: Store, options: TellOptions): PageAlerts {
  const storage = useMemo(() => createAlertStorage(localStorage), []);
  const [alerts, setAlerts] = useState(storage.alerts);
  const [isSoundOn, setIsSoundOn] = useState(storage.isSoundOn);
  const [told, setTold] = useState<readonly ToldAlert[]>([]);
  const latest = useRef(options);
  latest.current = options;
  const marks = useRef<Marks>(new Map());

  useEffect(() => {
    const tell = async (fired: FiredAlert) => {
      const at = Date.now() + store.state.clockOffsetMs;
      if (!(await claim(`${fired.key} ${fired.seq}`))) return;
      const { textOf, onGo } = latest.current;
      setTold((before) => [{ ...fired, at }, ...before].slice(0, MOST_TOLD));
      notify({ ...textOf(fired), tag: fired.key, onClick: () => onGo(fired) });
      if (storage.isSoundOn()) sound();
    };
    const look = () => {
      if (alerts.length === 0) return;
      const { marks: next, fired } = watchAlerts(alerts, marks.current, store.state);
      marks.current = next;
      for (const each of fired) void tell(each);
    };
    look();
    return store.observe(look);
  }, [store, alerts]);
  useEffect(() => {
    // Another tab has changed them.
    const read = () => setAlerts(storage.alerts());
    addEventListener('storage', read);
    return () => removeEventListener('storage', read);
  }, []);

  const change = (next: readonly PageAlert[]) => {
    storage.keep(next);
    setAlerts(next);
  };
  const add = useCallback((alert: Omit<PageAlert, 'id'>) => {
    const id = Date.now().toString(36);
    change([...storage.alerts(), { ...alert, id }].slice(-MOST_ALERTS));
  }, []);
  const remove = useCallback((id: string) => {
    change(storage.alerts().filter((alert) => alert.id !== id));
  }, []);
  const setSound = useCallback((isOn: boolean) => {
    storage.setSound(isOn);
    setIsSoundOn(isOn);
  }, []);
  return { alerts, told, isSoundOn, add, remove, setSound };
}
