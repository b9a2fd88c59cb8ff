import { percentText, usdText } from '../format.ts';
import type { Advice } from '../state/advice.ts';

type NoSignal = Extract<Advice, { type: 'no' }>['signals'][number];

/** What to do, as sentences, the most certain first. */
export function AdviceList({ advice }: { readonly advice: readonly Advice[] }) {
  return (
    <ul class="orders" aria-label="What to do">
      {advice.map((each) => (
        <li key={keyOf(each)} class={each.type}>
          <Sentence advice={each} />
        </li>
      ))}
      {advice.length === 0 ? <li>Nothing to do.</li> : null}
    </ul>
  );
}

function keyOf(advice: Advice): string {
  return advice.type === 'passed' ? advice.signal.token_id : advice.type;
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
        </>
      );
    }
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
