import { useEffect, useRef, useState } from 'preact/hooks';
import { TallywireError } from '../../client/browser.ts';
import type { State } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import { isDark } from '../stored-choices.ts';

export function useStore(store: Store): State {
  const [state, setState] = useState(store.state);
  useEffect(() => store.listen(() => setState(store.state)), [store]);
  return state;
}

/** The server's time, ms, updated each second. */
export function useNow(clockOffsetMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now + clockOffsetMs;
}

/** The value once it has not changed for `ms`; the first value at once. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

export type Loadable<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'done'; readonly value: T; readonly isOld?: boolean };

/** Wait before a failed request is sent again. */
const RETRY_MS = 5_000;

/**
 * An answer over REST, requested again each `everyMs`, or sooner after a failure. The last answer stays in the
 * meantime, unless `deps` change; when `details` of it do, it is old until the next one comes.
 */
export function useAnswer<T>(
  request: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  everyMs: number,
  details: readonly unknown[] = [],
): Loadable<T> {
  const [answer, setAnswer] = useState<Loadable<T>>({ state: 'loading' });
  const latest = useRef(request);
  latest.current = request;
  const lastDeps = useRef(deps);
  useEffect(() => {
    const isSame = deps.every((each, index) => Object.is(each, lastDeps.current[index]));
    lastDeps.current = deps;
    setAnswer((last) => {
      if (last.state === 'done' && isSame) return { ...last, isOld: true };
      return last.state === 'loading' ? last : { state: 'loading' };
    });
    const unmounted = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const repeatIn = (ms: number) => {
      timer = setTimeout(send, ms);
    };
    function send(): void {
      latest.current(unmounted.signal).then(
        (value) => {
          if (unmounted.signal.aborted) return;
          setAnswer({ state: 'done', value });
          repeatIn(everyMs);
        },
        (error: unknown) => {
          if (unmounted.signal.aborted) return;
          const why = error instanceof TallywireError ? error.detail : String(error);
          setAnswer((last) => (last.state === 'done' && !last.isOld ? last : { state: 'failed', why }));
          repeatIn(RETRY_MS);
        },
      );
    }
    send();
    return () => {
      unmounted.abort();
      clearTimeout(timer);
    };
  }, [...deps, ...details, everyMs]);
  return answer;
}

/** Whether the page is dark, as that changes. */
export function useIsDark(): boolean {
  const [isPageDark, setIsPageDark] = useState(isDark);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const update = () => setIsPageDark(isDark());
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    media.addEventListener('change', update);
    return () => {
      observer.disconnect();
      media.removeEventListener('change', update);
    };
  }, []);
  return isPageDark;
}
