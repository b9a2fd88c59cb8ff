import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Place, readPlace, SECTIONS, type Section, withPlace } from '../state/place.ts';

/** Below the header, which covers the top of the window. */
const SEEN_FROM_PX = 64;

interface UsedPlace {
  readonly place: Place;
  /** Goes to another place, from where the browser can go back. */
  go(part: Partial<Place>): void;
  /** Completes the address of the present place. */
  settle(part: Partial<Place>): void;
}

/** The place in the address of the page. */
export function usePlace(): UsedPlace {
  const [place, setPlace] = useState(() => readPlace(location.href));
  useEffect(() => {
    const read = () => setPlace(readPlace(location.href));
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  const move = (part: Partial<Place>, write: (href: string) => void) => {
    const next = { ...readPlace(location.href), ...part };
    const href = withPlace(location.href, next);
    if (href === location.href) return;
    write(href);
    setPlace(next);
  };
  const go = useCallback(
    (part: Partial<Place>) => move(part, (href) => history.pushState(null, '', href)),
    [],
  );
  const settle = useCallback(
    (part: Partial<Place>) => move(part, (href) => history.replaceState(null, '', href)),
    [],
  );
  return { place, go, settle };
}

/** While the page fills, what is above a section grows. */
const LANDING_MS = 3_000;
const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Keeps an element at the top while the page fills, until the user does something. */
function land(element: HTMLElement, landed: () => void): () => void {
  const observer = new ResizeObserver(() => element.scrollIntoView());
  const end = () => {
    observer.disconnect();
    clearTimeout(timer);
    for (const input of INPUTS) removeEventListener(input, finish);
  };
  const finish = () => {
    end();
    landed();
  };
  const timer = setTimeout(finish, LANDING_MS);
  for (const input of INPUTS) addEventListener(input, finish, { passive: true });
  observer.observe(document.body);
  return end;
}

/** Reports the first section that is seen whenever the one of the address is not. */
function watchSections(onSeen: (section: Section) => void): () => void {
  const seen = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target.id);
        else seen.delete(target.id);
      }
      const { section = 'now' } = readPlace(location.href);
      const first = SECTIONS.find((each) => seen.has(each));
      if (first !== undefined && !seen.has(section)) onSeen(first);
    },
    { rootMargin: `-${SEEN_FROM_PX}px 0px 0px` },
  );
  for (const id of SECTIONS) {
    const element = document.getElementById(id);
    if (element !== null) observer.observe(element);
  }
  return () => observer.disconnect();
}

/** Scrolls to the section of the address once there are sections, and then keeps the address at one that is seen. */
export function useSectionInAddress(settle: UsedPlace['settle']): void {
  useEffect(() => {
    const { section } = readPlace(location.href);
    const element = section === undefined ? null : document.getElementById(section);
    let stop = () => {};
    const watch = () => {
      stop = watchSections((seen) => settle({ section: seen }));
    };
    if (element === null) watch();
    else stop = land(element, watch);
    return () => stop();
  }, [settle]);
}
