import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { useIsDark } from '../parts/hooks.ts';
import { drawMarks, type Mark } from './chart-marks.ts';
import { addTip, type TipText } from './chart-tip.ts';
import { type Colours, readColours } from './colours.ts';
import { draggedOver, type Span, zoomedIn } from './zoom.ts';

export type ChartOptions = Omit<uPlot.Options, 'width' | 'height'>;

interface ChartProps {
  readonly label: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  readonly options: (colours: Colours) => ChartOptions;
  /** All of the time that the chart can show. */
  readonly span: Span;
  readonly tip: TipText;
  readonly marks?: readonly Mark[];
}

/**
 * A chart over time, as wide as its container. It is created once for a theme, and gets new data when `data` changes.
 * It says what is under the pointer or a finger, and shows a part of the time when asked.
 */
export function Chart(props: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [zoom, setZoom] = useState<Span>();
  const shown = useRef(zoom);
  shown.current = zoom;
  const isDark = useIsDark();
  const { data, height, options } = props;

  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const colours = readColours();
    const given = options(colours);
    let tip: ReturnType<typeof addTip> | undefined;
    const created = new uPlot(
      {
        ...given,
        width: element.clientWidth,
        height,
        cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false } },
        scales: {
          ...given.scales,
          x: { time: true, range: () => [...(shown.current ?? latest.current.span)] },
        },
        hooks: {
          ...given.hooks,
          ready: [
            (u) => {
              tip = addTip(u, (index) => latest.current.tip(index));
            },
          ],
          setCursor: [() => tip?.update()],
          setSelect: [
            (u) => {
              const { left, width } = u.select;
              const dragged = draggedOver(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
              if (width > 0) u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              if (dragged !== undefined && width > 0) setZoom(dragged);
            },
          ],
          draw: [...(given.hooks?.draw ?? []), (u) => drawMarks(u, latest.current.marks ?? [], colours)],
        },
      },
      data,
      element,
    );
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
  useEffect(() => {
    const [min, max] = zoom ?? latest.current.span;
    chart.current?.setScale('x', { min, max });
  }, [zoom]);

  return (
    <div class="chart-box" data-zoomed={zoom !== undefined}>
      <div
        class="chart"
        role="img"
        aria-label={props.label}
        style={{ height: `${height}px` }}
        ref={container}
        onDblClick={() => setZoom(undefined)}
      />
      <div class="zoom">
        <button
          type="button"
          aria-label="Zoom in"
          onClick={() => setZoom(zoomedIn(zoom ?? props.span, props.span, props.marks?.[0]?.at))}
        >
          +
        </button>
        <button type="button" disabled={zoom === undefined} onClick={() => setZoom(undefined)}>
          Show all
        </button>
      </div>
    </div>
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

/** Width of the longest label of a time axis. */
const LABEL_PX = 44;

/** Steps of a time axis, seconds. Labels have no seconds, so smaller ones would repeat. */
const TIME_STEPS = [
  ...[1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720].map((minutes) => minutes * 60),
  ...[1, 2, 3, 4, 5, 7, 10, 15, 30, 60, 90, 180, 360].map((days) => days * 86_400),
];

/** Labels in one line: the hour, and at midnight the day. */
export function timeAxis(colours: Colours, size: number): uPlot.Axis {
  const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
  const textOf = (seconds: number) => {
    const at = new Date(seconds * 1_000);
    return (at.getHours() + at.getMinutes() === 0 ? day : hour).format(at);
  };
  // A label is left out where only a part of it would be seen.
  const fits = (u: uPlot, seconds: number) =>
    u.valToPos(seconds, 'x') + LABEL_PX / 2 <= u.width - u.bbox.left / devicePixelRatio;
  return axis(colours, {
    size,
    grid: { show: false },
    incrs: TIME_STEPS,
    values: (u, splits) => splits.map((at) => (fits(u, at) ? textOf(at) : '')),
  });
}
