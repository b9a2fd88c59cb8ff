import { type Crossing, crossingNote, crossingText } from '../crossing-text.ts';
import { percentText, sentence, usdText } from '../format.ts';
import type { Advice } from '../state/advice.ts';

type NoSignal = Extract<Advice, { type: 'no' }>['signals'][number];

/** What to do, as sentences, the most certain first; as many as there is room for. */
export function AdviceList(props: { readonly advice: readonly Advice[]; readonly most?: number }) {
  const { advice, most } = props;
  const isIdle = advice.every(({ type }) => type === 'watch');
  return (
    <ul class="orders" aria-label="What to do">
      {isIdle ? <li class="idle">Nothing to buy or sell now.</li> : null}
      {advice.slice(0, most).map((each) => (
        <li key={keyOf(each)} class={each.type}>
          <Sentence advice={each} />
        </li>
      ))}
    </ul>
  );
}

function keyOf(advice: Advice): string {
  switch (advice.type) {
    case 'passed':
      return advice.signal.token_id;
    case 'left':
      return advice.crossing.token_id;
    case 'watch':
      return advice.crossing.kind;
    default:
      return advice.type;
  }
}

function Sentence({ advice }: { readonly advice: Advice }) {
  switch (advice.type) {
    case 'passed': {
      const { bucket, best_bid, buy_no, model_prob } = advice.signal;
      // Our own count alone may still be corrected.
      const state = model_prob === 0 ? 'cannot win any more' : 'has been passed by a count';
      const bet = buy_no?.suggested_bet ?? 0;
      return (
        <>
          <strong>{`${bucket} ${state}`}</strong>
          {`, and somebody still pays ${percentText(best_bid)} for it. Sell Yes if held`}
          {bet > 0 ? `, or buy No up to ${percentText(buy_no?.limit_price)} for ${usdText(bet)}.` : '.'}
          {advice.crossing === undefined ? null : <Note crossing={advice.crossing} />}
        </>
      );
    }
    case 'left':
    case 'watch':
      return (
        <>
          {`${sentence(crossingText(advice.crossing))}.`}
          <Note crossing={advice.crossing} />
        </>
      );
    case 'buy': {
      const { order, instead } = advice;
      return (
        <>
          <span class="tag good">BUY</span> {`${order.buckets.join(' and ')} for ${usdText(order.stake_usd)}`}
          <small>{` ${strategyText(order.strategy)}, ${recordText(order)}`}</small>
          {instead.map((other) => (
            <span key={other.strategy} class="instead">
              {`or instead of it ${other.buckets.join(' and ')} for ${usdText(other.stake_usd)}`}
              <small>{` ${strategyText(other.strategy)}, ${recordText(other)}`}</small>
            </span>
          ))}
        </>
      );
    }
    case 'sell':
      return (
        <>
          <span class="tag bad">SELL</span> {`if held: ${advice.buckets.join(', ')}`}
        </>
      );
    case 'no':
      return (
        <>
          <span class="tag good">BUY NO</span>{' '}
          {`if Yes is not held: ${advice.signals.map(noText).join(', ')}`}
        </>
      );
  }
}

function Note({ crossing }: { readonly crossing: Crossing }) {
  const note = crossingNote(crossing);
  return note === '' ? null : <small>{` ${sentence(note)}.`}</small>;
}

function noText({ bucket, buy_no }: NoSignal): string {
  return `${bucket} up to ${percentText(buy_no?.limit_price)} for ${usdText(buy_no?.suggested_bet ?? 0)}`;
}

/** `SINGLE_BUCKET` as `single bucket`. */
function strategyText(strategy: string): string {
  return strategy.toLowerCase().replaceAll('_', ' ');
}

function recordText(order: {
  readonly measured_win_rate: number | null;
  readonly sample_size: number;
}): string {
  return order.measured_win_rate === null
    ? `no measured win rate yet (${order.sample_size} settled live)`
    : `won ${order.measured_win_rate} % of ${order.sample_size} live`;
}
