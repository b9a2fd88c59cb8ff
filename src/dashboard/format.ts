import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time-spans.ts';

/** Figures as text for people. An unknown figure is a dash, never a zero. */

const UNKNOWN = '–';

const grouped = new Intl.NumberFormat('en-US');
const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

export function countText(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : grouped.format(value);
}

export function usdText(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : money.format(value);
}

/** A share from 0 to 1 as percent with one decimal. */
export function percentText(share: number | null | undefined): string {
  return share === null || share === undefined ? UNKNOWN : `${(share * 100).toFixed(1)} %`;
}

/** A difference of two shares in percentage points, with its sign. */
export function pointsText(difference: number | null | undefined): string {
  return difference === null || difference === undefined ? UNKNOWN : signed(difference * 100, 1);
}

export function signed(value: number, decimals = 0): string {
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

export function fixedText(value: number | null | undefined, decimals: number): string {
  return value === null || value === undefined ? UNKNOWN : value.toFixed(decimals);
}

/** How long something took. */
export function durationText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return UNKNOWN;
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 2 * MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < 2 * HOUR_MS) return `${(ms / MINUTE_MS).toFixed(1)} min`;
  return `${(ms / HOUR_MS).toFixed(1)} h`;
}

/** Time left, to the second. */
export function countdownText(ms: number): string {
  const leftMs = Math.max(0, ms);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const days = Math.floor(leftMs / DAY_MS);
  const hours = two((leftMs % DAY_MS) / HOUR_MS);
  const rest = `${hours}:${two((leftMs % HOUR_MS) / MINUTE_MS)}:${two((leftMs % MINUTE_MS) / SECOND_MS)}`;
  return days === 0 ? rest : `${days} d ${rest}`;
}

/** How long ago, roughly. */
export function agoText(ms: number): string {
  const roundedMs = Math.max(0, Math.round(ms / SECOND_MS)) * SECOND_MS;
  if (roundedMs < MINUTE_MS) return `${roundedMs / SECOND_MS} s ago`;
  if (roundedMs < HOUR_MS) return `${Math.floor(roundedMs / MINUTE_MS)} min ago`;
  return `${Math.floor(roundedMs / HOUR_MS)} h ago`;
}

export function clockText(at: number): string {
  return clock.format(at);
}

export function dayText(at: number): string {
  return day.format(at);
}

/** `posts/account_a` as `posts of Account A`. */
export function sourceText(source: string, nameOf: (account: string) => string): string {
  const [role = source, account] = source.split('/');
  return account === undefined ? role : `${role} of ${nameOf(account)}`;
}

/** How far the counter of `who` is from our own count. A positive delta means behind. */
export function deltaText(who: string, delta: number | null): string {
  if (delta === null) return `${who} not known yet`;
  if (delta === 0) return `${who} agrees`;
  return `${who} is ${Math.abs(delta)} ${delta > 0 ? 'behind' : 'ahead'}`;
}

/** The text with a capital letter. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why our own count is not known. */
export function unknownCountText(historyPercent: number | null): string {
  return historyPercent === null ? 'a hole in the posts' : `reading history, ${historyPercent} %`;
}

/** The window in the title of an event, without the account at its beginning. */
export function windowText(title: string): string {
  return title
    .replace(/^.*?# posts (in )?/, '')
    .replace(/(, \d{4})?\?$/, '')
    .replace(/([A-Z][a-z]{2})[a-z]* (\d+)/g, '$1 $2')
    .replace(/^(\w+) (\d+) - \1 (\d+)$/, '$1 $2–$3')
    .replace(' - ', ' – ');
}
