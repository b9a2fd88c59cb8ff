import type { ComponentChildren } from 'preact';

type Column = string | { readonly title: ComponentChildren; readonly isNumber: boolean };

/** A column of numbers, which are aligned to the right. */
export function numbers(title: string): Column {
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

/** Scrolls sideways on a narrow screen, which has to be possible by keyboard. */
export function ScrollArea(props: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <section class="scroll" aria-label={props.label} tabIndex={0}>
      {props.children}
    </section>
  );
}
