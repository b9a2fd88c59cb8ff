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

/** The colours of the present theme, in the form that a canvas needs. */
export function readColours(element: HTMLElement): Colours {
  const read = (name: keyof Colours) => {
    element.style.color = `var(--${name})`;
    return getComputedStyle(element).color;
  };
  return {
    text: read('text'),
    muted: read('muted'),
    line: read('line'),
    accent: read('accent'),
    fan: read('fan'),
    market: read('market'),
    band: read('band'),
    warn: read('warn'),
  };
}
