import type { FeedStatus } from '../../client/browser.ts';
import { accountText } from '../format.ts';

interface Said {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad';
  readonly word: string;
  readonly detail: string;
}

const STALE_WORDS = {
  connection: 'nothing comes over the connection',
  graph: 'the streams of the server stand still',
  fan_out: 'the server sends nothing',
} as const;

/** `posts/account_a` as `posts of Account A`. */
export function sourceText(name: string): string {
  const [role = name, account] = name.split('/');
  return account === undefined ? role : `${role} of ${accountText(account)}`;
}

function statusWords(status: FeedStatus): Said {
  switch (status.state) {
    case 'live':
      return { tone: 'good', word: 'Live', detail: 'everything as it happens' };
    case 'connecting':
      return { tone: 'busy', word: 'Connecting', detail: 'reading what there is' };
    case 'resuming':
      return { tone: 'busy', word: 'Resuming', detail: 'reading what was missed' };
    case 'stale':
      return {
        tone: 'warn',
        word: 'Stale',
        detail:
          status.reason === 'source'
            ? `no answer from ${status.sources.map(sourceText).join(', ')}`
            : STALE_WORDS[status.reason],
      };
    case 'down':
      return {
        tone: 'bad',
        word: 'Down',
        detail: status.reason === 'refused' ? 'the server refused the key' : 'no connection; trying again',
      };
  }
}

/** How the page stands with the server; always in sight. */
export function Connection({ status }: { readonly status: FeedStatus }) {
  const { tone, word, detail } = statusWords(status);
  return (
    <output class={`connection ${tone}`} data-state={status.state} title={detail}>
      <span class="dot" aria-hidden="true" />
      <strong>{word}</strong>
      <span class="detail">{detail}</span>
    </output>
  );
}
