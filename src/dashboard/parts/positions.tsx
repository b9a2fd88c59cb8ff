import type { Answer } from '../../client/browser.ts';
import { countText, fixedText, percentText, pointsText, signed, usdText, windowText } from '../format.ts';
import { mergesOf } from '../state/merges.ts';
import { Empty } from './panel.tsx';
import { numbers, ScrollArea, TableHead } from './table.tsx';
import { Explained, Term } from './term.tsx';

type Portfolio = Answer<'PortfolioAnswer'>['data'][number];

const ACTIONS = { ADD_MORE: 'add', TRIM: 'trim', HOLD: 'hold' } as const;
const EXPLAINED = (['P&L', 'Wins', 'Edge'] as const).map((word) => <Explained key={word} word={word} />);
/** What to do is next to what it is about, so that it is seen without scrolling. */
const COLUMNS = ['Position', 'Advice', ...['Shares', 'Paid', 'Value', ...EXPLAINED].map(numbers)];

/** Gains are green and losses red; what rounds to nothing is neither. */
function toneOf(usd: number): string {
  if (Number(usd.toFixed(2)) === 0) return '';
  return usd < 0 ? 'down' : 'up';
}

function adviceText({ analysis, sizing }: Portfolio['positions'][number]): string {
  const advice = (analysis.recommendation ?? 'unknown').toLowerCase().replaceAll('_', ' ');
  if (!sizing?.action || sizing.action === 'HOLD') return advice;
  return `${advice}, ${ACTIONS[sizing.action]} ${usdText(sizing.adjustment)} at ${percentText(sizing.limit_price)}`;
}

/** What a wallet holds of each event, and what it can merge. */
export function Positions({ data }: { readonly data: readonly Portfolio[] }) {
  const held = data.filter(({ positions }) => positions.length > 0);
  if (held.length === 0)
    return <Empty title="Nothing held">This wallet has no open position in these events.</Empty>;
  return (
    <ScrollArea label="Positions">
      <table class="grid">
        <TableHead columns={COLUMNS} />
        {held.map(({ event, positions, portfolio, stale }) => (
          <tbody key={event?.id}>
            <tr class="group">
              <th scope="rowgroup" colSpan={4}>
                {event === null ? '' : windowText(event.title)}
              </th>
              <td class="num">{usdText(portfolio.current_value)}</td>
              <td class={`num ${toneOf(portfolio.total_pnl)}`}>{signed(portfolio.total_pnl, 2)}</td>
              <td colSpan={2} />
            </tr>
            {positions.map((position) => (
              <tr key={position.token_id}>
                <th scope="row">
                  {position.outcome} {position.bucket}
                </th>
                <td class="advice">{stale.length > 0 ? countText(null) : adviceText(position)}</td>
                <td class="num">{fixedText(position.tokens, 2)}</td>
                <td class="num">{percentText(position.avg_price)}</td>
                <td class="num">{usdText(position.current_value)}</td>
                <td class={`num ${toneOf(position.pnl)}`}>{signed(position.pnl, 2)}</td>
                <td class="num">{percentText(position.analysis.win_probability)}</td>
                <td class="num">{pointsText(position.analysis.edge)}</td>
              </tr>
            ))}
            {mergesOf(positions).map(({ bucket, pairs }) => (
              <tr key={bucket} class="merge">
                <td colSpan={COLUMNS.length}>
                  {`Merge ${fixedText(pairs, 2)} Yes and No of ${bucket} for ${usdText(pairs)}.`}{' '}
                  <Term word="Merge" />
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </ScrollArea>
  );
}
