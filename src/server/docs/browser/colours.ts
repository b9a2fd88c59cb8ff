/** Dark or light, as the reader chose here or on the dashboard, or else as the system is. */
export function startColours(): void {
  const chosen = localStorage.getItem('theme');
  const { dataset } = document.documentElement;
  if (chosen === 'light' || chosen === 'dark') dataset.theme = chosen;
  const button = document.querySelector<HTMLButtonElement>('.theme');
  if (button === null) return;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (dataset.theme === undefined ? system.matches : dataset.theme === 'dark');
  const label = () => button.setAttribute('aria-label', `Use ${isDark() ? 'light' : 'dark'} colours`);
  label();
  system.addEventListener('change', label);
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    dataset.theme = theme;
    localStorage.setItem('theme', theme);
    label();
  });
}
