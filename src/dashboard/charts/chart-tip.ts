import type uPlot from 'uplot';

/** What is drawn at an index of the data, as text; undefined where nothing is. */
export type TipText = (index: number) => string | undefined;

/** A text that follows the pointer or the finger over a chart. */
export function addTip(u: uPlot, textOf: TipText): { readonly update: () => void } {
  const tip = document.createElement('div');
  tip.className = 'tip num';
  tip.hidden = true;
  u.over.append(tip);
  // After a finger the browser pretends that a mouse came and left.
  let isTouched = false;
  const follow = (event: TouchEvent) => {
    const [touch] = event.touches;
    if (touch === undefined) return;
    isTouched = true;
    const { left, top } = u.over.getBoundingClientRect();
    u.setCursor({ left: touch.clientX - left, top: touch.clientY - top });
  };
  u.over.addEventListener('touchstart', follow, { passive: true });
  u.over.addEventListener('touchmove', follow, { passive: true });
  u.over.addEventListener('pointermove', ({ pointerType }) => {
    if (pointerType === 'mouse') isTouched = false;
  });
  return {
    update() {
      const { left = -1, idx } = u.cursor;
      if (left < 0 && isTouched) return;
      const text = left < 0 || idx === null || idx === undefined ? undefined : textOf(idx);
      tip.hidden = text === undefined;
      if (text === undefined) return;
      tip.textContent = text;
      const room = u.over.clientWidth - tip.offsetWidth;
      tip.style.left = `${Math.max(0, Math.min(room, left - tip.offsetWidth / 2))}px`;
    },
  };
}
