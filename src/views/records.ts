import type { AccountId } from '../../streams/internal.ts';
import type { Topic } from '../feed/channels.ts';
import type { Lines } from '../feed/log/stored-record.ts';
import { openCrypto } from '../server/routes/crypto.ts';
import { openLag } from '../server/routes/lag.ts';
import { openCounters } from '../server/routes/meta.ts';
import { openPrediction, tickAt, withTimeLeft } from '../server/routes/prediction.ts';
import { openSignals } from '../server/routes/signals.ts';
import { type ActiveEvent, activeCryptoEvents, activeEvents, isActive } from './active-events.ts';
import { type AgeLimits, agesOf, closeRecords, lateInputs, openRecord } from './as-of.ts';
import type { Latest, OutputOf } from './latest.ts';
import { type WinRates, winRates } from './performance/win-rates.ts';
import { postToWire } from './records/post-fields.ts';
import { signalFacts } from './records/signal-facts.ts';
import { velocityToWire } from './records/velocity-fields.ts';
import { type View, viewsOf } from './view.ts';

/** Posts in a snapshot: the first page over REST. */
const FIRST_PAGE = 15;

export interface RecordsDeps {
  readonly latest: Latest;
  /** UTC ms. */
  readonly now: () => number;
  readonly staleAfterMs: AgeLimits;
}

/** The records of REST, one by one, as JSON. */
export interface Records {
  /** Of which there are records now, in the order of REST. Posts are told one by one and have none here. */
  keys(topic: Topic): readonly string[];
  /** In every view of it. Empty when there is none, such as of an event that is no longer active. */
  record(topic: Topic, key: string): Lines;
  post(topic: Topic, post: OutputOf<'posts'>): Lines;
  /** When the last observation came in, UTC ms. */
  at(): number;
  /** Changes with whatever changes a record, ages included. */
  moment(): string;
  /** The JSON array of all there are; of posts the newest among those up to seq `upTo` of the log. */
  all(topic: Topic, view: View, upTo: number): string;
}

export function createRecords({ latest, now, staleAfterMs }: RecordsDeps): Records {
  const eventsOf = ({ channel, account }: Topic): readonly ActiveEvent[] => {
    if (channel.name === 'crypto') return activeCryptoEvents(latest);
    return account === null ? [] : activeEvents(latest, account.id);
  };

  // They change with what is settled, and are asked for every event and view of a turn.
  const rates = new Map<AccountId, { readonly seq: number; readonly rates: WinRates }>();
  function ratesOf(account: AccountId): WinRates {
    const known = rates.get(account);
    if (known?.seq === latest.seq) return known.rates;
    const made = winRates(latest, account);
    rates.set(account, { seq: latest.seq, rates: made });
    return made;
  }

  /** The text up to the ages, in the words of REST. */
  function open(topic: Topic, key: string, view: View): string | undefined {
    const { channel, account } = topic;
    if (channel.name === 'test') return undefined;
    if (account !== null && channel.name === 'lag') {
      const lag = latest.get('lag', account.id);
      return lag && openLag(lag, account.segment);
    }
    if (account !== null && channel.name === 'velocity') {
      const velocity = latest.get('velocity', account.id);
      return velocity && openRecord(velocityToWire(velocity.record, account.segment), velocity);
    }
    const event = ownEvent(topic, key);
    return event && openEvent(topic, event, view);
  }

  /** The event, if it is active and one of this topic. */
  function ownEvent({ channel, account }: Topic, key: string): ActiveEvent | undefined {
    const event = latest.get('events', key);
    if (event === undefined || !isActive(event)) return undefined;
    const { subject } = event.record;
    const isOwn =
      channel.name === 'crypto'
        ? subject.type === 'crypto'
        : subject.type === 'posts' && subject.account === account?.id;
    return isOwn ? event : undefined;
  }

  function openEvent({ channel, account }: Topic, event: ActiveEvent, view: View): string | undefined {
    if (channel.name === 'crypto') return openCrypto(latest, event, now())[0];
    if (account === null) return undefined;
    const late = lateFor(account.id);
    switch (channel.name) {
      case 'counters':
        return openCounters(latest, event, late);
      case 'prediction': {
        const rest = openPrediction(latest, event, account.id, view.tier, late);
        return withTimeLeft(rest, event.record.endAt, tickAt(latest));
      }
      case 'signals':
        return openSignals(latest, event, view, ratesOf(account.id), late).text;
      default:
        return undefined;
    }
  }

  const lateFor = (account: AccountId) => lateInputs(agesOf(latest, now(), account), staleAfterMs);
  const ages = ({ account }: Topic) => agesOf(latest, now(), account?.id);
  const close = (text: string, topic: Topic) => closeRecords([text], ages(topic)).slice(1, -1);

  function testRecord(): string {
    const tick = latest.get('freshness', 'all');
    return JSON.stringify({ observation: tick?.seq ?? latest.seq, ts: tick?.at ?? latest.at });
  }

  function keys(topic: Topic): readonly string[] {
    const { channel, account } = topic;
    switch (channel.name) {
      case 'tweets':
      case 'heartbeat':
        return [];
      case 'test':
        return ['test'];
      case 'lag':
      case 'velocity':
        return account !== null && latest.get(channel.name, account.id) ? [account.segment] : [];
      default:
        return eventsOf(topic).map(({ key }) => key);
    }
  }

  return {
    keys,
    at: () => latest.at,
    moment: () => `${latest.seq} ${Math.floor(now() / 1_000)}`,
    record(topic, key) {
      const { channel, account } = topic;
      if (channel.name === 'test') return [testRecord()];
      if (channel.name === 'signals' && account !== null) {
        const event = ownEvent(topic, key);
        if (event === undefined) return [];
        return [signalFacts(latest, event, ratesOf(account.id), lateFor(account.id), ages(topic))];
      }
      return viewsOf(topic).flatMap((view) => {
        const text = open(topic, key, view);
        return text === undefined ? [] : close(text, topic);
      });
    },
    post: (topic, post) =>
      viewsOf(topic).map(({ tier }) => close(openRecord(postToWire(post.record, tier), post), topic)),
    all(topic, view, upTo) {
      const { channel, account } = topic;
      if (channel.name === 'test') return `[${testRecord()}]`;
      if (channel.name === 'tweets' && account !== null) {
        const posts: string[] = [];
        for (const post of latest.posts(account.id)) {
          if (posts.length === FIRST_PAGE) break;
          if (post.seq <= upTo) posts.push(openRecord(postToWire(post.record, view.tier), post));
        }
        return closeRecords(posts, ages(topic));
      }
      const texts = keys(topic).flatMap((key) => open(topic, key, view) ?? []);
      return closeRecords(texts, ages(topic));
    },
  };
}
