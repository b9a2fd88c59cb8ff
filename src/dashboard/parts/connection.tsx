import type { FeedStatus } from '../../client/browser.ts';
import type { StatusText } from './status-text.ts';

/** The status of the connection, always visible. */
export function Connection(props: { readonly state: FeedStatus['state']; readonly text: StatusText }) {
  const { tone, word, detail } = props.text;
  return (
    <output class={`connection ${tone}`} data-state={props.state} title={detail}>
      <span class="dot" aria-hidden="true" />
      <strong>{word}</strong>
      <span class="detail">{detail}</span>
    </output>
  );
}
