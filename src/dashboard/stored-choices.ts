/** What the reader chose, kept for the dashboard and for the pages of the API alike. */

const THEME = 'theme';
const KEY = 'key';

/** Gives the page the colours that were chosen, if any were. */
export function applyStoredTheme(): void {
  const theme = localStorage.getItem(THEME);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: 'light' | 'dark'): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(THEME, theme);
}

/** Whether the page is dark: by the choice of the reader, or else of the system. */
export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

/** The key of the tab, which ends with the tab. */
export function storedKey(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Nothing forgets it. */
export function storeKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, key);
}
