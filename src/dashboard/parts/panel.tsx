import type { ComponentChild, ComponentChildren } from 'preact';
import type { Word } from '../glossary.ts';
import type { Loadable } from './hooks.ts';
import { Term } from './term.tsx';

/** A titled box. */
export function Panel(props: {
  readonly title: string;
  /** What the glossary says about it. */
  readonly term?: Word;
  readonly note?: ComponentChildren;
  readonly className?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`panel ${props.className ?? ''}`} aria-label={props.title}>
      <header class="panel-head">
        <h3>
          {props.title}
          {props.term === undefined ? null : (
            <>
              {' '}
              <Term word={props.term} />
            </>
          )}
        </h3>
        {props.note === undefined ? null : <span class="note">{props.note}</span>}
      </header>
      {props.children}
    </section>
  );
}

/** Replaces content that is missing: says what is missing and what helps. */
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

/** The answer to a request, or what stands in its place. */
export function Loaded<T>(props: {
  readonly answer: Loadable<T>;
  readonly what: string;
  readonly children: (value: T, isOld: boolean) => ComponentChild;
}) {
  const { answer, what } = props;
  if (answer.state === 'loading') return <Loading what={what} />;
  if (answer.state === 'failed')
    return <Empty title="Not answered">{`${answer.why}. It is requested again.`}</Empty>;
  return <>{props.children(answer.value, answer.isOld === true)}</>;
}
