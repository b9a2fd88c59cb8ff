import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type Column = string | { readonly title: ComponentChildren; readonly isNumber: boolean };

/** A column of numbers, which are aligned to the right. */
export function numbers(title: ComponentChildren): Column {
  return { title, isNumber: true };
}

export function TableHead({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column, place) => {
          const { title, isNumber } =
            typeof column === 'string' ? { title: column, isNumber: false } : column;
          return (
            <th key={String(place)} scope="col" class={isNumber ? 'num' : undefined}>
              {title}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** What is hidden by less than this is padding. */
const NOTICEABLE_PX = 4;

/** Scrolls sideways where there is no room, by keyboard too, and says so while there is more to the right. */
export function ScrollArea(props: { readonly label: string; readonly children: ComponentChildren }) {
  const area = useRef<HTMLElement>(null);
  const [hidden, setHidden] = useState({ some: false, right: false });
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const update = () => {
      const most = element.scrollWidth - element.clientWidth;
      const some = most > NOTICEABLE_PX;
      const right = most - element.scrollLeft > NOTICEABLE_PX;
      setHidden((last) => (last.some === some && last.right === right ? last : { some, right }));
    };
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, []);
  return (
    <div class={hidden.right ? 'scrollable more' : 'scrollable'}>
      <section class="scroll" aria-label={props.label} tabIndex={hidden.some ? 0 : undefined} ref={area}>
        {props.children}
      </section>
      <span class="more-hint" aria-hidden="true">
        more →
      </span>
    </div>
  );
}
