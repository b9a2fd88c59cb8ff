import { percentText, pointsText, usdText } from '../format.ts';
import { basisText, proofText } from '../record-text.ts';
import type { Signals } from '../state/records.ts';
import { numbers, ScrollArea, TableHead } from './table.tsx';

const TONES = { BUY: 'good', SELL: 'bad', HOLD: 'quiet', SKIP: 'quiet' } as const;
const SHOWN = 12;
const COLUMNS = ['Bucket', 'Action', ...['Model', 'Market', 'Net edge', 'Bet'].map(numbers), 'Trust', 'Why'];

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

/** The lower end in the title of a bucket, such as `<140`, `140-164` or `340+`. */
function lowerEnd(title: string): number {
  return title.startsWith('<') ? 0 : Number.parseInt(title, 10);
}

/** The buckets with the best edges, ordered by count, since the order of edges changes all the time. */
export function SignalsTable({ signals }: { readonly signals: Signals }) {
  const { track_record: record } = signals;
  const shown = signals.signals.slice(0, SHOWN).sort((a, b) => lowerEnd(a.bucket) - lowerEnd(b.bucket));
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
              <tr key={signal.token_id} title={signal.reasons.join('; ')}>
                <th scope="row">{signal.bucket}</th>
                <td>
                  <span class={`tag ${TONES[signal.action]}`}>{signal.action}</span>
                </td>
                <td class="num">{percentText(signal.model_prob)}</td>
                <td class="num">{percentText(signal.market_price)}</td>
                <td class={`num ${(signal.edge_net ?? 0) > 0 ? 'up' : 'down'}`}>
                  {pointsText(signal.edge_net)}
                </td>
                <td class="num">{usdText(signal.suggested_bet)}</td>
                <td>{signal.confidence.toLowerCase()}</td>
                <td>
                  <code>{signal.reason_codes.join(' ')}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </>
  );
}
