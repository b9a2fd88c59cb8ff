import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { useIsDark } from '../parts/hooks.ts';

export interface Colours {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly fan: string;
  readonly band: string;
  readonly warn: string;
}

/** The colours of the present theme, in the form that a canvas needs. */
function readColours(element: HTMLElement): Colours {
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
    band: read('band'),
    warn: read('warn'),
  };
}

export type ChartOptions = Omit<uPlot.Options, 'width' | 'height'>;

/** A chart as wide as its container. It is created once for a theme, and gets new data when `data` changes. */
export function Chart(props: {
  readonly label: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  readonly options: (colours: Colours) => ChartOptions;
}) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const isDark = useIsDark();
  const { data, height, options } = props;

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const width = element.clientWidth;
    const created = new uPlot({ ...options(readColours(element)), width, height }, data, element);
    chart.current = created;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== created.width) created.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      chart.current = undefined;
    };
  }, [isDark, height]);

  useEffect(() => {
    // A chart that was just created has the data already.
    if (chart.current?.data !== data) chart.current?.setData(data);
  }, [data]);

  return (
    <div
      class="chart"
      role="img"
      aria-label={props.label}
      style={{ height: `${height}px` }}
      ref={container}
    />
  );
}

/** The style of axes in all charts. */
export function axis(colours: Colours, more: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: colours.muted,
    font: '11px system-ui, sans-serif',
    grid: { stroke: colours.line, width: 1 },
    ticks: { show: false },
    ...more,
  };
}

/** Labels in one line: the hour, and at midnight the day. */
export function timeAxis(colours: Colours, size: number): uPlot.Axis {
  const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
  const textOf = (seconds: number) => {
    const at = new Date(seconds * 1_000);
    return (at.getHours() + at.getMinutes() === 0 ? day : hour).format(at);
  };
  return axis(colours, { size, grid: { show: false }, values: (_u, splits) => splits.map(textOf) });
}
