import type uPlot from 'uplot';
import type { Colours } from './colours.ts';

/** A vertical line at a time, in seconds. */
export interface Mark {
  readonly at: number;
  readonly name: string;
}

/** Where a name stands beside its line. */
interface Place {
  readonly align: 'left' | 'right';
  /** From the top of the plot, px of the canvas. */
  readonly top: number;
}

/** Dashed lines across the plot, at places of the canvas, each with its name beside it. */
function drawLines(
  u: uPlot,
  lines: readonly { readonly x: number; readonly name: string }[],
  colours: Colours,
  placeOf: (x: number, index: number) => Place,
): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colours.warn;
  ctx.fillStyle = colours.warn;
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  for (const [index, { x, name }] of lines.entries()) {
    if (x < left || x > left + width) continue;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    const place = placeOf(x, index);
    ctx.textAlign = place.align;
    ctx.fillText(name, x + (place.align === 'left' ? 4 : -4) * ratio, top + place.top);
  }
  ctx.restore();
}

/** Draws marks inside the plot, their names at its bottom. */
export function drawMarks(u: uPlot, marks: readonly Mark[], colours: Colours): void {
  const ratio = devicePixelRatio;
  const lines = marks.map(({ at, name }) => ({ name, x: Math.round(u.valToPos(at, 'x', true)) }));
  drawLines(u, lines, colours, (x, index) => ({
    // On the side where there is room for it.
    align: x - u.bbox.left < 40 * ratio ? 'left' : 'right',
    // One above the other, as two marks may be next to each other.
    top: u.bbox.height - 14 * ratio * (marks.length - index),
  }));
}

/** Draws what began at a time and lasted until the next one, their names at the top of the plot. */
export function drawPeriods(u: uPlot, periods: readonly Mark[], colours: Colours): void {
  const { left } = u.bbox;
  const lines = periods.map(({ at, name }) => ({ name, x: u.valToPos(at, 'x', true) }));
  // Of those before the first time shown, only the last had not ended then.
  const first = lines.filter(({ x }) => x <= left).length - 1;
  const shown = lines.slice(Math.max(0, first)).map(({ name, x }) => ({ name, x: Math.max(left, x) }));
  drawLines(u, shown, colours, () => ({ align: 'left', top: 2 * devicePixelRatio }));
}
