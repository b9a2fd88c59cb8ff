import { useState } from 'preact/hooks';
import type { FeedStatus } from '../../client/browser.ts';
import type { State } from '../state/records.ts';
import { Connection } from './connection.tsx';
import { useIsDark } from './hooks.ts';
import { KeyForm } from './key-form.tsx';
import { memo } from './memo.tsx';

const SECTIONS = ['Now', 'Forecast', 'Over time', 'Trade', 'Trust'];

function ThemeButton() {
  const isDark = useIsDark();
  const [, setSwitches] = useState(0);
  const switchTheme = () => {
    const theme = isDark ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('theme', theme);
    setSwitches((count) => count + 1);
  };
  return (
    <button
      type="button"
      class="theme"
      onClick={switchTheme}
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
    >
      {isDark ? '☀' : '☾'}
    </button>
  );
}

interface HeaderProps {
  readonly status: FeedStatus;
  readonly historyPercent: number;
  readonly keyState: State['key'];
  readonly keyFault: string | undefined;
  readonly demoKey: string | undefined;
  readonly onKey: (key: string | undefined) => void;
}

export const Header = memo(({ status, historyPercent, keyState, keyFault, demoKey, onKey }: HeaderProps) => {
  return (
    <header class="top">
      <h1>
        <span class="mark" aria-hidden="true">
          ⁄⁄⁄⁄
        </span>
        tallywire
      </h1>
      <nav aria-label="Sections">
        {SECTIONS.map((name) => (
          <a key={name} href={`#${name.toLowerCase().replace(' ', '-')}`}>
            {name}
          </a>
        ))}
        <a href="docs">API</a>
      </nav>
      <Connection status={status} historyPercent={historyPercent} />
      <KeyForm state={keyState} fault={keyFault} demoKey={demoKey} onKey={onKey} />
      <ThemeButton />
    </header>
  );
});
