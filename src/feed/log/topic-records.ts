import { areEventsKnown } from '../../views/active-events.ts';
import {
  type AgeLimits,
  agesOf,
  closeRecords,
  lateInputs,
  lateSinceTick,
  ofRecord,
  type RecordAges,
} from '../../views/as-of.ts';
import { type Audience, audienceOf } from '../../views/audience.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import { closeAll, type Moment, renderAll, tickAt } from '../../views/record-view.ts';
import { type Topic, tierOf } from '../channels.ts';
import type { StoredRecord } from './stored-record.ts';
import { createToldLate, type TopicKey } from './told-late.ts';

/** Posts in a snapshot, as many as on the first page over REST. */
const FIRST_PAGE = 15;

const ANY_INSTANT = { nowMs: 0, tickAt: 0 };

interface RecordsDeps {
  readonly latest: Latest;
  /** UTC ms. */
  readonly now: () => number;
  /** Of records of no account. */
  readonly staleAfterMs: AgeLimits;
}

/** The records of the topics as JSON, the same as over REST. */
export interface Records {
  /** Keys of the present states, in the order of REST; empty for topics of posts. */
  keys(topic: Topic): readonly string[];
  /** Null when there is none, for example after an event has closed. */
  state(topic: Topic, key: string): PresentState | null;
  /** A post as of one output; null on topics of states. */
  post(topic: Topic, post: OutputOf<'posts'>): StoredRecord;
  /** When the last observation was received, UTC ms. */
  at(): number;
  /** Differs whenever a record may differ, ages included. */
  moment(): string;
  /** False while there may be further records, of events that are not known. */
  areAllKnown(topic: Topic): boolean;
  /**
   * The records whose last frame, or a snapshot, told of late inputs that are heard of again, though no output tells so. Each
   * is returned once.
   */
  takeNoLongerLate(): readonly TopicKey[];
  /** The JSON array of all records; of posts the newest up to seq `upTo` of the log. */
  all(topic: Topic, audience: Audience, upTo: number): string;
}

/** A state of a topic as of when it was asked for. */
export interface PresentState {
  /** What it says, without its times and ages; of a record that is stored as facts, these. */
  content(): string;
  /** As a frame tells of it. */
  record(): string;
}

/** The audience whose records are stored. For bets it is the reader who sends no options. */
function usualAudience(topic: Topic): Audience {
  return audienceOf(topic.audiences, tierOf(topic));
}

export function createRecords({ latest, now, staleAfterMs }: RecordsDeps): Records {
  const agesFor = ({ account }: Topic) => agesOf(latest, now(), account?.id);
  const limitsOf = ({ account }: Topic) => account?.staleAfterMs ?? staleAfterMs;
  const lateIn = (ages: RecordAges, topic: Topic) => lateInputs(ages, limitsOf(topic));
  const lateSince = (ages: RecordAges, topic: Topic) => lateSinceTick(ages, limitsOf(topic));
  const toldLate = createToldLate();
  const momentOf = (ages: RecordAges, topic: Topic, key: string): Moment => ({
    latest,
    late: ofRecord(lateIn(ages, topic), key),
  });
  const instant = () => ({ nowMs: now(), tickAt: tickAt(latest) });
  const close = (list: string) => list.slice(1, -1);

  return {
    keys: ({ records }) => (records.type === 'states' ? records.view.keys(latest) : []),
    at: () => latest.at,
    moment: () => `${latest.seq} ${Math.floor(now() / 1_000)}`,
    state(topic, key) {
      if (topic.records.type !== 'states') return null;
      const { view } = topic.records;
      const ages = agesFor(topic);
      const moment = momentOf(ages, topic, key);
      const tellLate = () => {
        if (view.listsStale) toldLate.frame(topic, key, lateSince(ages, topic));
      };
      if (view.facts !== undefined) {
        const facts = view.facts.write(moment, key, ofRecord(ages, key));
        if (facts === undefined) return null;
        return {
          content: () => facts,
          record() {
            tellLate();
            return facts;
          },
        };
      }
      const render = view.render(moment, key, usualAudience(topic));
      if (render === undefined) return null;
      return {
        content() {
          const text = render(ANY_INSTANT);
          return view.hasAsOf ? text.slice(0, text.lastIndexOf(',"as_of":')) : text;
        },
        record() {
          tellLate();
          return close(closeAll(view, [{ key, render }], instant(), ages));
        },
      };
    },
    post(topic, post) {
      if (topic.records.type !== 'posts') return null;
      const { view } = topic.records;
      const { shared } = agesFor(topic);
      return close(closeRecords([view.renderPost(post, usualAudience(topic).tier)], () => shared));
    },
    areAllKnown({ records }) {
      const about = records.type === 'states' ? records.view.eventsAbout : undefined;
      return about === undefined || areEventsKnown(latest, about, now());
    },
    takeNoLongerLate: () => toldLate.takeOutdated((topic) => lateSince(agesFor(topic), topic)),
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
          const late = lateIn(ages, topic);
          if (view.listsStale) toldLate.snapshot(topic, view.keys(latest), lateSince(ages, topic));
          return closeAll(view, renderAll(view, { latest, late }, audience), instant(), ages);
        }
      }
    },
  };
}
