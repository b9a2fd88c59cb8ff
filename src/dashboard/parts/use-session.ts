import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { Session } from '../state/session.ts';
import type { Store } from '../state/store.ts';
import { storedKey, storeKey } from '../stored-choices.ts';

export type OpenSession = (key: string | undefined, onRefused: (detail: string) => void) => Session;

/** A session with the key of the tab, opened anew when that changes. */
export function useSession(store: Store, openSession: OpenSession) {
  const [key, setKey] = useState(storedKey);
  const [session, setSession] = useState<Session>();
  // Before the first frame, so that the server answers while that is drawn.
  useLayoutEffect(() => {
    const opened = openSession(key, (detail) => {
      store.change({ keyFault: detail });
      storeKey(undefined);
      setKey(undefined);
    });
    setSession(opened);
    return () => opened.close();
  }, [key]);
  const onKey = useCallback((typed: string | undefined) => {
    store.change({ keyFault: undefined });
    storeKey(typed);
    setKey(typed);
  }, []);
  return { session, onKey };
}
