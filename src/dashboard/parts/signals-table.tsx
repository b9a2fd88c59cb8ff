import { useState } from 'preact/hooks';
import { countText, percentText, pointsText, usdText } from '../format.ts';
import { basisText, proofText } from '../record-text.ts';
import { adviceOf, amountOf, isPassed } from '../state/advice.ts';
import type { Signals } from '../state/records.ts';
import { AdviceList } from './advice-list.tsx';
import { inOrder, mostNotable } from './signal-order.ts';
import { numbers, ScrollArea, TableHead } from './table.tsx';
import { Explained, Term } from './term.tsx';

const TONES = { BUY: 'good', SELL: 'bad', HOLD: 'quiet', SKIP: 'quiet' } as const;
const SHOWN = 12;
const EXPLAINED = (['Net edge', 'Limit', 'Amount'] as const).map((word) => (
  <Explained key={word} word={word} />
));
const COLUMNS = ['Bucket', 'Do', ...['Model', 'Market', ...EXPLAINED].map(numbers), 'Why'];

type Signal = Signals['signals'][number];

/** A best price and the shares there. */
function levelText(price: number | null, shares: number | null): string {
  if (price === null) return 'none';
  return `${percentText(price)} for ${countText(shares === null ? null : Math.round(shares))} shares`;
}

/** An amount of money; nothing where there is none to put anywhere. */
function amountText(usd: number | null): string {
  return usd === null ? '' : usdText(usd);
}

function toneOf(edge: number | null): string {
  if (edge === null || pointsText(edge) === pointsText(0)) return '';
  return edge > 0 ? 'up' : 'down';
}

function Row(props: { readonly signal: Signal; readonly amount: number | null }) {
  const { signal, amount } = props;
  const [isOpen, setIsOpen] = useState(false);
  const { buy_no: no } = signal;
  // Who holds no Yes to sell can buy No for the same trade, whose price and size are shown.
  const trade = no ?? signal;
  const id = `why-${signal.token_id}`;
  return (
    <>
      <tr>
        <th scope="row">
          {signal.bucket}
          {isPassed(signal) ? <span class="tag bad">passed</span> : null}
        </th>
        <td>
          <span class={`tag ${TONES[signal.action]}`}>{signal.action}</span>
          {no === null ? null : <span class="tag good">BUY NO</span>}
        </td>
        <td class="num">{percentText(signal.model_prob)}</td>
        <td class="num">{percentText(signal.market_price)}</td>
        <td class={`num ${toneOf(signal.edge_net)}`}>{pointsText(signal.edge_net)}</td>
        <td class="num">{trade.limit_price === null ? '' : percentText(trade.limit_price)}</td>
        <td class="num">{amountText(amount)}</td>
        <td>
          <button
            type="button"
            class="small"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`Why ${signal.action} ${signal.bucket}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            why
          </button>
          {signal.proven ? null : <span class="tag warn">unproven</span>}
        </td>
      </tr>
      {isOpen ? (
        <tr id={id} class="why">
          <td colSpan={COLUMNS.length}>
            <ul>
              {signal.reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
              <li>
                {`bid ${levelText(signal.best_bid, signal.bid_size)}, ask ${levelText(signal.best_ask, signal.ask_size)}`}
                {trade.available_usd === null
                  ? ''
                  : `; ${usdText(trade.available_usd)} can be had at the limit`}
              </li>
              <li>
                {`confidence ${signal.confidence.toLowerCase()}; for programs `}
                <code>{[...signal.reason_codes, ...trade.cut.map(({ by }) => by)].join(' ')}</code>
              </li>
            </ul>
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** What to do first, then the buckets behind it and why. Not ordered by edge, since that order changes all the time. */
export function SignalsTable({ signals }: { readonly signals: Signals }) {
  const { track_record: record } = signals;
  const shown = mostNotable(signals.signals, SHOWN).toSorted(inOrder);
  return (
    <>
      <AdviceList advice={adviceOf(signals)} />
      <p class="proof">
        <span class={`tag ${signals.proven ? 'good' : 'warn'}`}>
          {proofText(record ?? { proven_against: [] })}
        </span>{' '}
        {record === null
          ? 'nothing settled to measure by'
          : `${basisText(record)}; ${percentText(record.coverage90)} inside p5 to p95`}{' '}
        <Term word="Unproven" />
      </p>
      <ScrollArea label="Signals by bucket">
        <table class="grid steady">
          <TableHead columns={COLUMNS} />
          <tbody>
            {shown.map((signal) => (
              <Row key={signal.token_id} signal={signal} amount={amountOf(signal, signals.BUY)} />
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </>
  );
}
