/** Figures as people read them. What is not known is a dash, never a zero. */

const UNKNOWN = '–';
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

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

/** A share of 1 as percent with one decimal. */
export function percentText(share: number | null | undefined): string {
  return share === null || share === undefined ? UNKNOWN : `${(share * 100).toFixed(1)} %`;
}

/** A difference of two shares in points of percent, always with its sign. */
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
  if (ms < 120 * MINUTE_MS) return `${(ms / MINUTE_MS).toFixed(1)} min`;
  return `${(ms / (60 * MINUTE_MS)).toFixed(1)} h`;
}

/** Time left, to the second. */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  const rest = `${two(Math.floor(seconds / 3_600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days === 0 ? rest : `${days} d ${rest}`;
}

/** How long ago, roughly. */
export function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3_600)} h ago`;
}

export function clockText(at: number): string {
  return clock.format(at);
}

export function dayText(at: number): string {
  return day.format(at);
}

/** `account_a` as `Account A`. */
export function accountText(account: string): string {
  const words = account.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join(' ');
}

/** Titles of events begin with their account, which is told elsewhere. */
export function windowText(title: string): string {
  return title
    .replace(/^.*?# posts (in )?/, '')
    .replace(/(, \d{4})?\?$/, '')
    .replace(/([A-Z][a-z]{2})[a-z]* (\d+)/g, '$1 $2')
    .replace(/^(\w+) (\d+) - \1 (\d+)$/, '$1 $2–$3')
    .replace(' - ', ' – ');
}
