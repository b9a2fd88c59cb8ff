import { countText, percentText, pointsText, usdText } from '../format.ts';
import { basisText, proofText } from '../record-text.ts';
import type { Signals } from '../state/records.ts';
import { inOrder, mostNotable } from './signal-order.ts';
import { numbers, ScrollArea, TableHead } from './table.tsx';

const TONES = { BUY: 'good', SELL: 'bad', HOLD: 'quiet', SKIP: 'quiet' } as const;
const SHOWN = 12;
const COLUMNS = [
  'Bucket',
  'Action',
  ...['Model', 'Market', 'Bid × shares', 'Ask × shares', 'Net edge', 'Limit', 'Available', 'Bet'].map(
    numbers,
  ),
  'Trust',
  'Why',
];

type Signal = Signals['signals'][number];

function Orders({ signals }: { readonly signals: Signals }) {
  const { BUY: buys, SELL: sells } = signals;
  return (
    <ul class="orders">
      {buys.map((order) => (
        <li key={order.strategy}>
          <span class="tag good">BUY</span> {order.buckets.join(' and ')} for {usdText(order.stake_usd)}{' '}
          <code>{order.strategy}</code>{' '}
          {order.measured_win_rate === null
            ? `no measured win rate yet (${order.sample_size} settled live)`
            : `won ${order.measured_win_rate} % of ${order.sample_size} live`}
        </li>
      ))}
      {sells.length === 0 ? null : (
        <li>
          <span class="tag bad">SELL</span> if held: {sells.map(({ bucket }) => bucket).join(', ')}
        </li>
      )}
      {buys.length + sells.length === 0 ? <li>Nothing to do.</li> : null}
    </ul>
  );
}

/** A best price and the shares there. */
function levelText(price: number | null, shares: number | null): string {
  if (price === null) return percentText(price);
  return `${percentText(price)} × ${countText(shares === null ? null : Math.round(shares))}`;
}

function Row({ signal }: { readonly signal: Signal }) {
  const { buy_no: no } = signal;
  // Who holds no Yes to sell can buy No for the same trade, whose price and size are shown.
  const trade = no ?? signal;
  return (
    <tr title={signal.reasons.join('; ')}>
      <th scope="row">
        {signal.bucket}
        {no === null ? null : <span class="tag bad">passed</span>}
      </th>
      <td>
        <span class={`tag ${TONES[signal.action]}`}>{signal.action}</span>
        {no === null ? null : <span class="tag good">BUY NO</span>}
      </td>
      <td class="num">{percentText(signal.model_prob)}</td>
      <td class="num">{percentText(signal.market_price)}</td>
      <td class="num">{levelText(signal.best_bid, signal.bid_size)}</td>
      <td class="num">{levelText(signal.best_ask, signal.ask_size)}</td>
      <td class={`num ${(signal.edge_net ?? 0) > 0 ? 'up' : 'down'}`}>{pointsText(signal.edge_net)}</td>
      <td class="num">{percentText(trade.limit_price)}</td>
      <td class="num">{usdText(trade.available_usd)}</td>
      <td class="num">{usdText(trade.suggested_bet)}</td>
      <td>
        {signal.confidence.toLowerCase()}
        {signal.proven ? null : <span class="tag warn">unproven</span>}
      </td>
      <td>
        <code>{[...signal.reason_codes, ...trade.cut.map(({ by }) => by)].join(' ')}</code>
      </td>
    </tr>
  );
}

/** What to trade, and the best edges beside it. Not ordered by edge, since that order changes all the time. */
export function SignalsTable({ signals }: { readonly signals: Signals }) {
  const { track_record: record } = signals;
  const shown = mostNotable(signals.signals, SHOWN).toSorted(inOrder);
  return (
    <>
      <p class="proof">
        <span class={`tag ${signals.proven ? 'good' : 'warn'}`}>
          {proofText(record ?? { proven_against: [] })}
        </span>{' '}
        {record === null
          ? 'nothing settled to measure by'
          : `${basisText(record)}; ${percentText(record.coverage90)} inside p5 to p95`}
      </p>
      <Orders signals={signals} />
      <ScrollArea label="Signals by bucket">
        <table class="grid steady">
          <TableHead columns={COLUMNS} />
          <tbody>
            {shown.map((signal) => (
              <Row key={signal.token_id} signal={signal} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </>
  );
}
