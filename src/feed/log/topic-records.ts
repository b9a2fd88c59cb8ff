import { areEventsKnown } from '../../views/active-events.ts';
import { type AgeLimits, agesOf, closeRecords, lateInputs, ofRecord } from '../../views/as-of.ts';
import { type Audience, audiencesOf } from '../../views/audience.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import { closeAll, renderAll, tickAt } from '../../views/record-view.ts';
import type { Topic } from '../channels.ts';
import type { StoredRecord } from './stored-record.ts';

/** Posts in a snapshot, as many as on the first page over REST. */
const FIRST_PAGE = 15;

interface RecordsDeps {
  readonly latest: Latest;
  /** UTC ms. */
  readonly now: () => number;
  readonly staleAfterMs: AgeLimits;
}

/** The records of the topics as JSON, the same as over REST. */
export interface Records {
  /** Keys of the present states, in the order of REST; empty for topics of posts. */
  keys(topic: Topic): readonly string[];
  /** A state for every audience; empty when there is none, for example after an event has closed. */
  record(topic: Topic, key: string): StoredRecord;
  /** A change of a post for every audience; empty on topics of states. */
  post(topic: Topic, post: OutputOf<'posts'>): StoredRecord;
  /** When the last observation was received, UTC ms. */
  at(): number;
  /** Differs whenever a record may differ, ages included. */
  moment(): string;
  /** False while there may be further records, of events that are not known. */
  areAllKnown(topic: Topic): boolean;
  /** The JSON array of all records; of posts the newest up to seq `upTo` of the log. */
  all(topic: Topic, audience: Audience, upTo: number): string;
}

export function createRecords({ latest, now, staleAfterMs }: RecordsDeps): Records {
  const agesFor = ({ account }: Topic) => agesOf(latest, now(), account?.id);
  const instant = () => ({ nowMs: now(), tickAt: tickAt(latest) });
  const close = (list: string) => list.slice(1, -1);

  return {
    keys: ({ records }) => (records.type === 'states' ? records.view.keys(latest) : []),
    at: () => latest.at,
    moment: () => `${latest.seq} ${Math.floor(now() / 1_000)}`,
    record(topic, key) {
      if (topic.records.type !== 'states') return [];
      const { view } = topic.records;
      const ages = agesFor(topic);
      const moment = { latest, late: ofRecord(lateInputs(ages, staleAfterMs), key) };
      if (view.facts !== undefined) {
        const facts = view.facts.write(moment, key, ofRecord(ages, key));
        return facts === undefined ? [] : [facts];
      }
      return audiencesOf(view.audiences).flatMap((audience) => {
        const render = view.render(moment, key, audience);
        return render === undefined ? [] : close(closeAll(view, [{ key, render }], instant(), ages));
      });
    },
    post(topic, post) {
      if (topic.records.type !== 'posts') return [];
      const { view } = topic.records;
      const { shared } = agesFor(topic);
      return audiencesOf(view.audiences).map(({ tier }) =>
        close(closeRecords([view.renderPost(post, tier)], () => shared)),
      );
    },
    areAllKnown({ records }) {
      const about = records.type === 'states' ? records.view.eventsAbout : undefined;
      return about === undefined || areEventsKnown(latest, about, now());
    },
    all(topic, audience, upTo) {
      const ages = agesFor(topic);
      switch (topic.records.type) {
        case 'none':
          return '[]';
        case 'posts': {
          const { view } = topic.records;
          const posts: string[] = [];
          for (const post of view.posts(latest)) {
            if (posts.length === FIRST_PAGE) break;
            if (post.seq <= upTo) posts.push(view.renderPost(post, audience.tier));
          }
          return closeRecords(posts, () => ages.shared);
        }
        case 'states': {
          const { view } = topic.records;
          const late = lateInputs(ages, staleAfterMs);
          return closeAll(view, renderAll(view, { latest, late }, audience), instant(), ages);
        }
      }
    },
  };
}
