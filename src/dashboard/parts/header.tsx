import { useState } from 'preact/hooks';
import type { FeedStatus } from '../../client/browser.ts';
import { sentence } from '../format.ts';
import { SECTIONS, type Section } from '../state/place.ts';
import type { State } from '../state/records.ts';
import { chooseTheme } from '../stored-choices.ts';
import { Connection } from './connection.tsx';
import { useIsDark } from './hooks.ts';
import { KeyForm } from './key-form.tsx';
import { memo } from './memo.tsx';
import type { StatusText } from './status-text.ts';

function ThemeButton() {
  const isDark = useIsDark();
  const [, setSwitches] = useState(0);
  const switchTheme = () => {
    chooseTheme(isDark ? 'light' : 'dark');
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
  readonly state: FeedStatus['state'];
  readonly connection: StatusText;
  readonly keyState: State['key'];
  readonly keyFault: string | undefined;
  readonly demoKey: string | undefined;
  /** The section that is seen. */
  readonly section: Section | undefined;
  readonly onKey: (key: string | undefined) => void;
}

export const Header = memo((props: HeaderProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const { keyState, keyFault, demoKey, section = 'now' } = props;
  // What the key unlocks is below the menu.
  const onKey = (key: string | undefined) => {
    setIsOpen(false);
    props.onKey(key);
  };
  return (
    <header class="top">
      <h1>
        <span class="mark" aria-hidden="true">
          ⁄⁄⁄⁄
        </span>
        tallywire
      </h1>
      <Connection state={props.state} text={props.connection} />
      <button
        type="button"
        class="menu-button"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setIsOpen(!isOpen)}
      >
        Menu
      </button>
      <div id="menu" class={isOpen ? 'menu open' : 'menu'}>
        <nav aria-label="Sections">
          {SECTIONS.map((id) => (
            <a
              key={id}
              href={`#${id}`}
              aria-current={id === section ? 'location' : undefined}
              onClick={() => setIsOpen(false)}
            >
              {sentence(id.replace('-', ' '))}
            </a>
          ))}
          <a href="docs">API</a>
        </nav>
        <KeyForm state={keyState} fault={keyFault} demoKey={demoKey} onKey={onKey} />
        <ThemeButton />
      </div>
    </header>
  );
});
