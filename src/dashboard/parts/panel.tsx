import type { ComponentChildren } from 'preact';

/** A titled box. */
export function Panel(props: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly className?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`panel ${props.className ?? ''}`} aria-label={props.title}>
      <header class="panel-head">
        <h3>{props.title}</h3>
        {props.note === undefined ? null : <span class="note">{props.note}</span>}
      </header>
      {props.children}
    </section>
  );
}

/** Said in place of what is not there: what is missing, and what helps. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <output class="empty loading">
      <span class="shimmer" aria-hidden="true" />
      {`Reading ${what} …`}
    </output>
  );
}
