export interface Colours {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly fan: string;
  readonly market: string;
  readonly band: string;
  readonly warn: string;
}

/**
 * The colours of the present theme, in the form that a canvas needs: those of the page, as what is not fresh has others, and a
 * chart may be begun before its input is fresh.
 */
export function readColours(): Colours {
  const probe = document.body.appendChild(document.createElement('span'));
  const read = (name: keyof Colours) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    text: read('text'),
    muted: read('muted'),
    line: read('line'),
    accent: read('accent'),
    fan: read('fan'),
    market: read('market'),
    band: read('band'),
    warn: read('warn'),
  };
  probe.remove();
  return colours;
}
