/** A picture with two axes, as SVG text. Data coordinates in, pixels out. */

export interface Axis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Frame {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

interface PlotOptions {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Drawn inside the frame. */
  readonly draw: (frame: Frame) => string;
  readonly legend?: readonly (readonly [className: string, text: string])[];
}

const WIDTH = 410;
const HEIGHT = 290;
const TITLE_LEFT = 14;
const LEFT = 54;
const RIGHT = 20;
const TOP = 46;
const BOTTOM = 46;

export function plot({ title, x, y, draw, legend = [] }: PlotOptions): string {
  const frame: Frame = {
    x: (value) => round(LEFT + ((value - x.from) / (x.to - x.from)) * (WIDTH - LEFT - RIGHT)),
    y: (value) => round(HEIGHT - BOTTOM - ((value - y.from) / (y.to - y.from)) * (HEIGHT - TOP - BOTTOM)),
  };
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeText(title)}">`,
    `<text class="title" x="${TITLE_LEFT}" y="19">${escapeText(title)}</text>`,
    ...y.ticks.map((tick) => horizontal(frame, x, y, tick)),
    ...x.ticks.map(
      (tick) =>
        `<text class="tick" x="${frame.x(tick)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${x.format(tick)}</text>`,
    ),
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>`,
    draw(frame),
    `<text class="label" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escapeText(x.label)}</text>`,
    `<text class="label" transform="translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escapeText(y.label)}</text>`,
    legendOf(legend),
    '</svg>',
  ].join('\n');
}

function horizontal(frame: Frame, x: Axis, y: Axis, tick: number): string {
  const at = frame.y(tick);
  return (
    `<line class="grid" x1="${frame.x(x.from)}" x2="${frame.x(x.to)}" y1="${at}" y2="${at}"/>` +
    `<text class="tick" x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${y.format(tick)}</text>`
  );
}

function legendOf(entries: NonNullable<PlotOptions['legend']>): string {
  let left = LEFT;
  return entries
    .map(([className, text]) => {
      const at = left;
      left += 26 + 6.2 * text.length;
      return `<rect class="key ${className}" x="${at}" y="27" width="12" height="8"/><text class="tick" x="${at + 16}" y="35">${escapeText(text)}</text>`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}

export function line(frame: Frame, points: readonly Point[], className: string): string {
  const path = points.map(({ x, y }) => `${frame.x(x)},${frame.y(y)}`).join(' ');
  return `<polyline class="line ${className}" points="${path}"/>`;
}

/** A dot for each point, with its value where the pointer is near; `text` says it. */
export function dots(
  frame: Frame,
  points: readonly Point[],
  className: string,
  text: (point: Point, index: number) => string,
  radius = 3,
): string {
  return points
    .map((point, index) => {
      const place = `cx="${frame.x(point.x)}" cy="${frame.y(point.y)}"`;
      const title = `<title>${escapeText(text(point, index))}</title>`;
      const dot = radius > 0 ? `<circle class="dot ${className}" ${place} r="${radius}"/>` : '';
      return `<g>${title}${dot}<circle class="reach" ${place} r="8"/></g>`;
    })
    .join('');
}

/** An upright line through the interval of a value. */
export function whisker(
  frame: Frame,
  x: number,
  interval: readonly [number, number] | null,
  y: Pick<Axis, 'from' | 'to'>,
): string {
  if (interval === null) return '';
  const [low, high] = interval.map((value) => frame.y(Math.min(y.to, Math.max(y.from, value))));
  const at = frame.x(x);
  return `<line class="whisker" x1="${at}" x2="${at}" y1="${low}" y2="${high}"/>`;
}

/** A straight line that marks the ideal. */
export function idealLine(frame: Frame, from: Point, to: Point): string {
  return line(frame, [from, to], 'ideal');
}

/** The area between two curves. */
export function band(frame: Frame, low: readonly Point[], high: readonly Point[], className: string): string {
  const path = [...low, ...high.toReversed()].map(({ x, y }) => `${frame.x(x)},${frame.y(y)}`).join(' ');
  return `<polygon class="band ${className}" points="${path}"/>`;
}

/** About five round numbers from `from` to `to`. */
function roundTicks(from: number, to: number): number[] {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step);
}

/** Whole days from 0 to `hours`, at most eight of them, in hours. */
export function dayTicks(hours: number): number[] {
  const stepDays = Math.max(1, Math.ceil(hours / 24 / 7));
  return Array.from({ length: Math.floor(hours / 24 / stepDays) + 1 }, (_, index) => index * stepDays * 24);
}

/** A little beyond the lowest and the highest value, and 0 wherever it lies. */
export function axisAround(label: string, values: readonly number[], format: Axis['format']): Axis {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const margin = Math.max(1e-9, high - low) * 0.06;
  const [from, to] = [low - margin, high + margin];
  return { label, from, to, ticks: roundTicks(from, to), format };
}

/** Three days from `from` to `to`, UTC. */
export function dateAxis(label: string, from: number, to: number): Axis {
  const end = Math.max(to, from + 1);
  const ticks = Array.from({ length: 3 }, (_, index) => from + ((end - from) * (index + 0.5)) / 3);
  return { label, from, to: end, ticks, format: (at) => new Date(at).toISOString().slice(0, 10) };
}

/** From 0 to a little above the highest value. */
export function axisFromZero(label: string, values: readonly number[], format: Axis['format']): Axis {
  const to = Math.max(1e-9, ...values) * 1.06;
  return { label, from: 0, to, ticks: roundTicks(0, to), format };
}
