import * as z from 'zod';

/** Work of the main thread of a page for each frame, ms. */
interface FrameWork {
  /** Elapsed time of its tasks. */
  readonly wallMs: readonly number[];
  /** Processor time of its tasks, without the time of other programs on the machine. */
  readonly cpuMs: readonly number[];
}

const trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      pid: z.int(),
      tid: z.int(),
      /** Microseconds, as are the two below. */
      ts: z.number().default(0),
      dur: z.number().default(0),
      tdur: z.number().default(0),
    }),
  ),
});

type TraceEvent = z.infer<typeof trace>['traceEvents'][number];

/** Categories that a trace needs for `frameWork`. */
export const TRACED = ['toplevel', 'devtools.timeline'];

/** Once in every frame, near its end. */
const FRAME = 'Layerize';
const TASK = 'ThreadControllerImpl::RunTask';

/** Adds up all tasks since the frame before, so that work between frames counts as well. */
export function frameWork(json: string): FrameWork {
  const { traceEvents } = trace.parse(JSON.parse(json));
  const frames = traceEvents.filter(({ name }) => name === FRAME);
  const { pid, tid } = mainThread(frames);
  const ownFrames = frames.filter((event) => event.pid === pid && event.tid === tid).sort(inTime);
  const tasks = traceEvents.filter(
    (event) => event.name === TASK && event.ph === 'X' && event.pid === pid && event.tid === tid,
  );
  const wallMs = ownFrames.map(() => 0);
  const cpuMs = ownFrames.map(() => 0);
  let frame = 0;
  for (const { ts, dur, tdur } of outermost(tasks)) {
    while (frame < ownFrames.length && (ownFrames[frame]?.ts ?? 0) < ts) frame += 1;
    wallMs[frame] = (wallMs[frame] ?? 0) + dur / 1_000;
    cpuMs[frame] = (cpuMs[frame] ?? 0) + tdur / 1_000;
  }
  // The first frame began before the trace, and tasks after the last belong to no frame.
  return { wallMs: wallMs.slice(1, ownFrames.length), cpuMs: cpuMs.slice(1, ownFrames.length) };
}

function inTime(a: TraceEvent, b: TraceEvent): number {
  return a.ts - b.ts;
}

/** A frame of the thread that drew most: the browser may have pages of its own. */
function mainThread(frames: readonly TraceEvent[]): TraceEvent {
  const counts = new Map<string, number>();
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  for (const frame of frames) counts.set(threadOf(frame), (counts.get(threadOf(frame)) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const found = frames.find((frame) => counts.get(threadOf(frame)) === most);
  if (found === undefined) throw new RangeError('expected frames in the trace, found none');
  return found;
}

/** Tasks that do not run inside another task. */
function outermost(tasks: readonly TraceEvent[]): readonly TraceEvent[] {
  let endsAt = Number.NEGATIVE_INFINITY;
  return tasks.toSorted(inTime).filter(({ ts, dur }) => {
    if (ts < endsAt) return false;
    endsAt = ts + dur;
    return true;
  });
}
