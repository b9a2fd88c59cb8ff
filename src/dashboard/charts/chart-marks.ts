import type uPlot from 'uplot';
import type { Colours } from './colours.ts';

/** A vertical line at a time, in seconds. */
export interface Mark {
  readonly at: number;
  readonly name: string;
}

/** Draws marks inside the plot, each with its name beside it. */
export function drawMarks(u: uPlot, marks: readonly Mark[], colours: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colours.warn;
  ctx.fillStyle = colours.warn;
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  for (const [index, { at, name }] of marks.entries()) {
    const x = Math.round(u.valToPos(at, 'x', true));
    if (x < left || x > left + width) continue;
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    // On the side where there is room for it.
    const isRight = x - left < 40 * ratio;
    ctx.textAlign = isRight ? 'left' : 'right';
    // One above the other, as two marks may be next to each other.
    const bottom = 14 * ratio * (marks.length - index);
    ctx.fillText(name, x + (isRight ? 4 : -4) * ratio, top + height - bottom);
  }
  ctx.restore();
}
