import { useEffect, useRef, useState } from 'preact/hooks';
import { TallywireError } from '../../client/browser.ts';
import type { State } from '../state/records.ts';
import type { Store } from '../state/store.ts';

export function useStore(store: Store): State {
  const [state, setState] = useState(store.state);
  useEffect(() => store.listen(() => setState(store.state)), [store]);
  return state;
}

/** The server's time, ms, anew each second. */
export function useNow(skewMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now + skewMs;
}

/** The value once it has been the same for `ms`; at first what it is. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

export type Asked<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'done'; readonly value: T };

/** How soon what was not answered is asked for again. */
const RETRY_MS = 5_000;

/**
 * An answer over REST, asked for again each `everyMs`, and sooner when there was none. The last one stays meanwhile,
 * unless `deps` are others.
 */
export function useAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  everyMs: number,
): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ state: 'loading' });
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    setAsked((known) => (known.state === 'loading' ? known : { state: 'loading' }));
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (ms: number) => {
      timer = setTimeout(once, ms);
    };
    function once(): void {
      latest.current(left.signal).then(
        (value) => {
          if (left.signal.aborted) return;
          setAsked({ state: 'done', value });
          again(everyMs);
        },
        (error: unknown) => {
          if (left.signal.aborted) return;
          const why = error instanceof TallywireError ? error.detail : String(error);
          setAsked((known) => (known.state === 'done' ? known : { state: 'failed', why }));
          again(RETRY_MS);
        },
      );
    }
    once();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [...deps, everyMs]);
  return asked;
}

/** Whether the page is dark now; moves with the system and with the choice made on the page. */
export function useIsDark(): boolean {
  const [isDark, setIsDark] = useState(readIsDark);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const look = () => setIsDark(readIsDark());
    const observer = new MutationObserver(look);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    media.addEventListener('change', look);
    return () => {
      observer.disconnect();
      media.removeEventListener('change', look);
    };
  }, []);
  return isDark;
}

function readIsDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  if (chosen !== undefined) return chosen === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
