import type { ComponentChildren } from 'preact';
import type { Answer, FeedStatus, HeartbeatFrame } from '../../client/browser.ts';
import { agoText, countdownText, countText, percentText, sentence, unknownCountText } from '../format.ts';
import { proofText } from '../record-text.ts';
import { adviceOf } from '../state/advice.ts';
import { likeliest } from '../state/likeliest.ts';
import type { Counters, Prediction, Signals } from '../state/records.ts';
import { inputAges, isDisconnected, staleInputs } from '../state/staleness.ts';
import { AdviceList } from './advice-list.tsx';
import { memo } from './memo.tsx';
import { useSettings } from './settings.ts';

/** More than these do not fit; all are in the section Trade. */
const MOST_ADVICE = 2;

type Track = Answer<'Calibration'>['track_records'][number];

interface AnswersProps {
  readonly account: string;
  readonly event: Counters;
  readonly prediction: Prediction | undefined;
  readonly signals: Signals | undefined;
  readonly areSignalsLoaded: boolean;
  /** How past forecasts turned out that were as far from the close; undefined while that is not known. */
  readonly track: Track | undefined;
  readonly isTrackLoaded: boolean;
  readonly status: FeedStatus;
  readonly heartbeat: HeartbeatFrame | undefined;
  readonly isPaid: boolean;
  readonly onKey: (key: string) => void;
  readonly now: number;
}

/** What is the count, what will it be, what to do, and can it be trusted: before anything else on the page. */
export const Answers = memo((props: AnswersProps) => {
  const { event, now } = props;
  const { real_counter: real, market_oracle_counter: oracle, market_ui_counter: ui } = event;
  return (
    <section class="answers" aria-labelledby="answers-title">
      <h2 id="answers-title" class="sr-only">
        In short
      </h2>
      <Cell id="count" question="Count">
        <p class="figure num">{countText(real)}</p>
        <p class="num">
          {real === null
            ? sentence(unknownCountText(event.history_percent))
            : `oracle ${countText(oracle)} · UI ${countText(ui)}`}
        </p>
        <p class="num">{`closes in ${countdownText(event.end_ts - now)}`}</p>
      </Cell>
      <Cell id="will-be" question="Will be">
        <WillBe prediction={props.prediction} isPaid={props.isPaid} />
      </Cell>
      <Cell id="to-do" question="What to do" more={<a href="#trade">why</a>}>
        <ToDo {...props} />
      </Cell>
      <Cell id="trusted" question="Can I trust it" more={<a href="#trust">more</a>}>
        <Freshness {...props} />
        <PastScore track={props.track} isLoaded={props.isTrackLoaded} />
      </Cell>
    </section>
  );
});

function Cell(props: {
  readonly id: string;
  readonly question: string;
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <article class={`answer ${props.id}`}>
      <header class="panel-head">
        <h3>{props.question}</h3>
        {props.more === undefined ? null : <span class="note">{props.more}</span>}
      </header>
      {props.children}
    </article>
  );
}

function WillBe(props: { readonly prediction: Prediction | undefined; readonly isPaid: boolean }) {
  const { prediction, isPaid } = props;
  const fan = prediction?.forecast;
  if (prediction && fan) {
    const best = likeliest(prediction.markets, ({ model_prob }) => model_prob);
    return (
      <>
        <p class="figure num">{countText(fan.p50)}</p>
        <p class="num">{`${countText(fan.p5)} to ${countText(fan.p95)} in 90 %`}</p>
        <p class="num">{best === undefined ? '' : `${best.title} at ${percentText(best.model_prob)}`}</p>
      </>
    );
  }
  const best = prediction && likeliest(prediction.markets, ({ market_price }) => market_price);
  return (
    <>
      <p class="figure num">{best?.title ?? countText(null)}</p>
      <p class="num">
        {best === undefined ? 'no prices yet' : `${percentText(best.market_price)} by the market`}
      </p>
      <p>{isPaid ? 'no forecast yet' : 'forecasts need a PRO key'}</p>
    </>
  );
}

function ToDo(props: AnswersProps) {
  const { demoKey } = useSettings();
  if (!props.isPaid) {
    return (
      <>
        <p>Signals and their amounts need a PRO key, typed in at the top.</p>
        {demoKey === undefined ? null : (
          <button type="button" class="try-key" onClick={() => props.onKey(demoKey)}>
            {`Try the demo's key ${demoKey}`}
          </button>
        )}
      </>
    );
  }
  if (!props.areSignalsLoaded) return <p>Reading signals …</p>;
  if (props.signals === undefined) return <p>Nothing is open to trade on here.</p>;
  return <AdviceList advice={adviceOf(props.signals)} most={MOST_ADVICE} />;
}

function Freshness({ account, event, status, heartbeat, now }: AnswersProps) {
  const stale = staleInputs(event, status, account);
  if (isDisconnected(status)) return <Tagged tone="bad" word="no connection" text="nothing new comes in" />;
  if (stale.length > 0) return <Tagged tone="warn" word="stale" text={stale.join(', ')} />;
  const ages = inputAges(heartbeat, account, now);
  return (
    <Tagged
      tone={ages.size === 0 ? 'quiet' : 'good'}
      word={ages.size === 0 ? 'no answer yet' : 'fresh'}
      text={ages.size === 0 ? '' : `all sources, the oldest ${agoText(Math.max(...ages.values()))}`}
    />
  );
}

function PastScore({ track, isLoaded }: { readonly track: Track | undefined; readonly isLoaded: boolean }) {
  if (track === undefined)
    return <p class="past">{isLoaded ? 'no forecast was scored yet' : 'past forecasts are not known yet'}</p>;
  const { horizon, n_live, n_backfilled, coverage90 } = track;
  return (
    <div class="past">
      <Tagged tone={track.proven ? 'good' : 'warn'} word={proofText(track)} text="" />
      <p class="num">
        {`at ${horizon} h ${percentText(coverage90)} of ${countText(n_live + n_backfilled)} in p5 to p95, ${countText(n_live)} live`}
      </p>
    </div>
  );
}

function Tagged(props: { readonly tone: string; readonly word: string; readonly text: string }) {
  return (
    <p>
      <span class={`tag ${props.tone}`}>{props.word}</span> {props.text}
    </p>
  );
}
