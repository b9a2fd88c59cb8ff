import type { Tier } from '../access/tiers.ts';
import type { AccountPath } from '../views/account-path.ts';
import { areEventsKnown } from '../views/active-events.ts';
import { agesOf, lateInputs, lateMark, type RecordAges, type RecordLate } from '../views/as-of.ts';
import type { Audience } from '../views/audience.ts';
import { closeAll, isMoved, type RecordView, renderAll, tickAt } from '../views/record-view.ts';
import { oncePerChange, type Watch } from '../views/watch.ts';
import type { Answer, Call } from './answer.ts';
import { namesTag } from './etag.ts';
import { eventsUnknown } from './events-unknown.ts';
import { createPrebuilt, notModified, streamAnswer } from './prebuilt.ts';
import type { StreamDeps } from './routes/deps.ts';

/** At which records are compared: what is left of the time of an event is not part of what they say. */
const ANY_INSTANT = { nowMs: 0, tickAt: 0 };

function contentOf(records: ReturnType<typeof renderAll>): string {
  return records.map(({ render }) => render(ANY_INSTANT)).join();
}

/** The records of a view as answers. `name` identifies a body among those of the same seq. */
interface RecordAnswers {
  /** Keeps the body for an audience ready. */
  ready(name: string, audience: Audience): (call: Call) => Answer;
  /** Renders the body for each call, when there are too many audiences to keep ready. */
  onDemand(tier: Tier): (name: string, audience: Audience, call: Call) => Answer;
}

/** The records show the ages of the inputs of `account`. */
export function createRecordAnswers(
  deps: StreamDeps,
  view: RecordView,
  account?: AccountPath,
): RecordAnswers {
  const { latest, watcher, now, tagOf } = deps;
  const { staleAfterMs } = account ?? deps;
  const watches = new Map<Tier, Watch>();
  /** One for each tier, as every watch is asked about every output. */
  function watchFor(tier: Tier): Watch {
    const watch =
      watches.get(tier) ?? watcher.watch((output) => isMoved(view, output, latest, tier), account?.id);
    watches.set(tier, watch);
    return watch;
  }
  const agesAt = (nowMs: number) => agesOf(latest, nowMs, account?.id);
  const lateIn = (ages: RecordAges) => lateInputs(ages, staleAfterMs);
  const staleMark = (nowMs: number) => lateMark(lateIn(agesAt(nowMs)));
  const size = () => view.keys(latest).length;

  /** Throws while there is no record because the events are not known. */
  function checkFor(watch: Watch): () => void {
    const { eventsAbout } = view;
    if (eventsAbout === undefined) return () => undefined;
    const isEmpty = oncePerChange(watch, () => size() === 0);
    return () => {
      if (isEmpty() && !areEventsKnown(latest, eventsAbout, now())) throw eventsUnknown();
    };
  }

  function dataOf(records: ReturnType<typeof renderAll>, nowMs: number, ages: RecordAges): string {
    return `"data":${closeAll(view, records, { nowMs, tickAt: tickAt(latest) }, ages)}`;
  }

  return {
    ready(name, audience) {
      const watch = watchFor(audience.tier);
      let late: RecordLate = { shared: [], own: new Map() };
      const render = () => renderAll(view, { latest, late }, audience);
      let records = oncePerChange(watch, render);
      const check = checkFor(watch);
      const answer = createPrebuilt({
        watch,
        name,
        tagOf,
        now,
        size,
        content: () => contentOf(records()),
        build(nowMs) {
          const ages = agesAt(nowMs);
          const lateNow = lateIn(ages);
          if (lateMark(lateNow) !== lateMark(late)) {
            late = lateNow;
            records = oncePerChange(watch, render);
          }
          return dataOf(records(), nowMs, ages);
        },
        ...(view.listsStale && { mark: staleMark }),
      });
      return (call) => {
        check();
        return answer(call);
      };
    },

    onDemand(tier) {
      const watch = watchFor(tier);
      const check = checkFor(watch);
      return (name, audience, { ifNoneMatch }) => {
        check();
        const nowMs = now();
        const ages = agesAt(nowMs);
        const late = lateIn(ages);
        let rendered: ReturnType<typeof renderAll> | undefined;
        const render = () => {
          rendered ??= renderAll(view, { latest, late }, audience);
          return rendered;
        };
        const mark = view.listsStale ? lateMark(late) : undefined;
        const etag = tagOf({ watch, name, size, mark, content: () => contentOf(render()) });
        if (namesTag(ifNoneMatch, etag)) return notModified(etag);
        const body = `{"timestamp":${nowMs},${dataOf(render(), nowMs, ages)}}`;
        return streamAnswer(etag, body, Buffer.byteLength(body));
      };
    },
  };
}
