import type { Post } from '../../streams/internal.ts';
import type { Config } from '../config/config.ts';
import type { ProcessLike } from './process-like.ts';

/** Between two lines about the same work, where a line cannot be drawn again. */
const LINE_PERIOD_MS = 2_000;
const MOST_TEXT = 100;

export interface StartNews {
  /** The share of its own log that was read, before anything is served. */
  recovering(share: number): void;
  history(percent: number): void;
  historyRead(): void;
  /** Leaves the line that is drawn again and again. */
  endProgress(): void;
  post(post: Post): void;
  stopping(): void;
  stopped(): void;
}

/**
 * Tells of a start, a run and a stop on stdout: sentences, or JSON lines when asked. How far some work is stands on one line
 * that is drawn again on a terminal; elsewhere each change is a line, every two seconds at most.
 */
export function createStartNews({ stdout }: ProcessLike, { json }: Pick<Config, 'json'>): StartNews {
  const isDrawn = stdout.isTTY === true && !json;
  let shown = '';
  let shownAt = Number.NEGATIVE_INFINITY;
  let isReading = false;
  let mostRead = 0;

  const say = (fact: Readonly<Record<string, unknown>>, sentence: string) => {
    endProgress();
    stdout.write(json ? `${JSON.stringify(fact)}\n` : `${sentence}\n`);
  };

  function progress(type: string, what: string, percent: number): void {
    const text = `${what}, ${percent} %`;
    const now = performance.now();
    if (text === shown || (!isDrawn && now - shownAt < LINE_PERIOD_MS)) return;
    if (!isDrawn) say({ type, percent }, text);
    else stdout.write(`\r  ${text}\u001b[K`);
    shown = text;
    shownAt = now;
  }

  function endProgress(): void {
    if (isDrawn && shown !== '') stdout.write('\r\u001b[K');
    shown = '';
  }

  return {
    recovering: (share) => progress('recovering', 'reading its own log', Math.floor(share * 100)),
    history(percent) {
      isReading = true;
      // An event that is found meanwhile needs more of the past, and nothing that was read is read again.
      mostRead = Math.max(mostRead, percent);
      progress('history', 'reading history', mostRead);
    },
    historyRead() {
      if (isReading) say({ type: 'history', percent: 100 }, `${isDrawn ? '  ' : ''}history is read`);
      isReading = false;
    },
    endProgress,
    post(post) {
      const { account, id, text, createdAt, url } = post;
      const time = new Date(createdAt).toISOString();
      // What others wrote must not draw on the terminal.
      const chars = Array.from(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim());
      const short = chars.length <= MOST_TEXT ? chars.join('') : `${chars.slice(0, MOST_TEXT).join('')}…`;
      const kind = post.isCounted ? '' : ' (not counted)';
      say({ type: 'post', account, id, createdAt, url, text }, `${time} ${account} ${id}${kind} ${short}`);
    },
    stopping() {
      if (!json) say({}, 'tallywire is stopping');
    },
    stopped: () => say({ type: 'stopped' }, 'tallywire has stopped'),
  };
}
