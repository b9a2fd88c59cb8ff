import { useEffect } from 'preact/hooks';
import { countText, windowText } from '../format.ts';
import type { Counters } from '../state/records.ts';
import type { StatusText } from './status-text.ts';

/** Colours that are seen on light and on dark tabs. */
const COLOURS = { good: '#1f9d6b', busy: '#3a78b8', warn: '#c98a00', bad: '#d0392b' } as const;

function iconOf(tone: StatusText['tone']): string {
  const strokes = [5, 10, 15, 20].map((x) => `M${x + 5} 6l-4 20`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="${strokes}" stroke="${COLOURS[tone]}" stroke-width="4" stroke-linecap="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Count, window and status in the title of the tab, and the status as the colour of its icon. */
export function useTab(event: Counters | undefined, { tone, word }: StatusText): void {
  const shown = event === undefined ? [] : [countText(event.real_counter), windowText(event.event_title)];
  const title = [...shown, word.toLowerCase(), ...(shown.length === 0 ? ['tallywire'] : [])].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    document.querySelector('link[rel=icon]')?.setAttribute('href', iconOf(tone));
  }, [tone]);
}
