import type { FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import { countText, deltaText, windowText } from '../format.ts';
import type { Counters, Lag, Post, PostTime, Velocity } from '../state/records.ts';
import { inputAges, staleInputs } from '../state/staleness.ts';
import { useAccountName } from './account-names.ts';
import { CounterTiles } from './counters.tsx';
import { MarketLink } from './market-link.tsx';
import { memo } from './memo.tsx';
import { Panel } from './panel.tsx';
import { PostList } from './post-list.tsx';
import { TimeAndPace } from './time-and-pace.tsx';

interface NowProps {
  readonly account: string;
  readonly event: Counters;
  readonly status: FeedStatus;
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly lag: Lag | undefined;
  readonly velocity: Velocity | undefined;
  readonly sleepProbability: number | null | undefined;
  readonly posts: readonly Post[] | undefined;
  readonly times: readonly PostTime[];
  readonly isPaid: boolean;
  readonly now: number;
}

/** The section Now: counters, time left, pace and posts. */
export const Now = memo((props: NowProps) => {
  const { account, event, now } = props;
  const nameOf = useAccountName();
  return (
    <section id="now" class="column" aria-labelledby="now-title">
      <h2 id="now-title">
        Now <span>{`${nameOf(account)}, ${windowText(event.event_title)}`}</span>
        <MarketLink slug={event.event_slug} />
      </h2>
      <p class="sr-only" aria-live="polite">
        {`Real count ${countText(event.real_counter)}. ${deltaText('UI', event.display_delta)}. ${deltaText('Oracle', event.settlement_delta)}.`}
      </p>
      <CounterTiles
        event={event}
        lag={props.lag}
        ages={inputAges(props.heartbeat, account, now)}
        stale={staleInputs(event, props.status, account)}
      />
      <Panel title="Pulse">
        <TimeAndPace
          event={event}
          velocity={props.velocity}
          sleepProbability={props.sleepProbability}
          times={props.times}
          isPaid={props.isPaid}
          now={now}
        />
      </Panel>
      <Panel title="Posts" term="Posts that count" note="as they are seen" className="grow">
        <PostList posts={props.posts} now={now} />
      </Panel>
    </section>
  );
});
