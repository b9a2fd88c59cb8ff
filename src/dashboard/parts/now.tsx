import { deltaWords } from '../delta-words.ts';
import { accountText, countText, windowText } from '../format.ts';
import type { AccountState, Counters, Prediction, State } from '../state/records.ts';
import { CounterTiles } from './counters.tsx';
import { Panel } from './panel.tsx';
import { PostList } from './post-list.tsx';
import { PulseRow } from './pulse-row.tsx';

const INPUTS = ['posts', 'oracle', 'ui', 'prices'] as const;

/** What is the case now. */
export function Now(props: {
  readonly state: State;
  readonly account: string;
  readonly known: AccountState;
  readonly event: Counters;
  readonly prediction: Prediction | undefined;
  readonly now: number;
}) {
  const { state, account, known, event } = props;
  const { status, heartbeat } = state;
  const ages = Object.fromEntries(
    INPUTS.flatMap((input) => {
      const age = heartbeat?.ages_ms[`${input}/${account}`] ?? heartbeat?.ages_ms[input];
      return age === undefined ? [] : [[input, age + Math.max(0, props.now - (heartbeat?.ts ?? props.now))]];
    }),
  );
  const silentNames = status.state === 'stale' ? status.sources : [];
  const silent = silentNames
    .filter((name) => !name.includes('/') || name.endsWith(`/${account}`))
    .map((name) => name.split('/')[0] ?? name);
  const staleInputs = [...new Set([...event.stale, ...silent.filter((name) => name !== 'crypto')])];
  return (
    <section id="now" class="column" aria-labelledby="now-title">
      <h2 id="now-title">
        Now <span>{`${accountText(account)}, ${windowText(event.event_title)}`}</span>
      </h2>
      {staleInputs.length > 0 ? (
        <p class="banner" role="alert">
          {`No fresh answer from ${staleInputs.join(', ')}: the numbers beside were true once. Do not trade on them.`}
        </p>
      ) : null}
      <p class="sr-only" aria-live="polite">
        {`Real count ${countText(event.real_counter)}. ${deltaWords('UI', event.display_delta)}. ${deltaWords('Oracle', event.settlement_delta)}.`}
      </p>
      <CounterTiles event={event} account={known} ages={ages} silent={silent} />
      <Panel title="Pulse">
        <PulseRow
          event={event}
          prediction={props.prediction}
          account={known}
          now={props.now}
          isPaid={state.key === 'accepted'}
        />
      </Panel>
      <Panel title="Posts" note="as they are seen" className="grow">
        <PostList posts={known.posts} fresh={state.fresh} now={props.now} />
      </Panel>
    </section>
  );
}
