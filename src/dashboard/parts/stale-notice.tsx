import type { FeedStatus } from '../../client/browser.ts';
import { isDisconnected } from '../state/staleness.ts';

/** What is wrong with the numbers on the page, if anything. */
export function staleNoticeText(status: FeedStatus, staleInputs: readonly string[]): string | undefined {
  if (isDisconnected(status))
    return 'Nothing new comes in. What you see is how things were; it goes on by itself.';
  if (staleInputs.length === 0) return undefined;
  return `No fresh answer from ${staleInputs.join(', ')}: numbers marked stale were true once. Do not trade on them.`;
}

/** Covers the bottom of the window, so that nothing moves when it appears or disappears. */
export function StaleNotice({ text }: { readonly text: string | undefined }) {
  return (
    <div class="notice" role="alert">
      {text === undefined ? null : <p>{text}</p>}
    </div>
  );
}
