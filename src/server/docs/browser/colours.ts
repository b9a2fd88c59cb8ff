import { applyStoredTheme, chooseTheme, isDark } from '../../../dashboard/stored-choices.ts';

/** Dark or light, as the reader chose here or on the dashboard, or else as the system is. */
export function startColours(): void {
  applyStoredTheme();
  const button = document.querySelector<HTMLButtonElement>('.theme');
  if (button === null) return;
  const label = () => button.setAttribute('aria-label', `Use ${isDark() ? 'light' : 'dark'} colours`);
  label();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', label);
  button.addEventListener('click', () => {
    chooseTheme(isDark() ? 'light' : 'dark');
    label();
  });
}
