import { useState } from 'preact/hooks';
import type { Answer, Client } from '../../client/browser.ts';
import { countText, percentText, pointsText, signed, usdText, windowText } from '../format.ts';
import { MINUTE_MS } from '../time-spans.ts';
import { useAnswer } from './hooks.ts';
import { Empty, Loaded, Panel } from './panel.tsx';
import { numbers, ScrollArea, TableHead } from './table.tsx';

type Portfolio = Answer<'PortfolioAnswer'>['data'][number];
const REFRESH_MS = MINUTE_MS;

const ACTIONS = { ADD_MORE: 'add', TRIM: 'trim', HOLD: 'hold' } as const;

function Positions({ data }: { readonly data: readonly Portfolio[] }) {
  const held = data.filter(({ positions }) => positions.length > 0);
  if (held.length === 0)
    return <Empty title="Nothing held">This wallet has no open position in these events.</Empty>;
  return (
    <ScrollArea label="Positions">
      <table class="grid">
        <TableHead
          columns={['Position', numbers('Value'), numbers('P&L'), numbers('Wins'), numbers('Edge'), 'Advice']}
        />
        {held.map(({ event, positions, portfolio, stale }) => (
          <tbody key={event?.id}>
            <tr class="group">
              <th scope="rowgroup">{event === null ? '' : windowText(event.title)}</th>
              <td class="num">{usdText(portfolio.current_value)}</td>
              <td class={`num ${portfolio.total_pnl < 0 ? 'down' : 'up'}`}>
                {signed(portfolio.total_pnl, 2)}
              </td>
              <td colSpan={3} />
            </tr>
            {positions.map((position) => (
              <tr key={position.token_id}>
                <th scope="row">
                  {position.outcome} {position.bucket}
                </th>
                <td class="num">{usdText(position.current_value)}</td>
                <td class={`num ${position.pnl < 0 ? 'down' : 'up'}`}>{signed(position.pnl, 2)}</td>
                <td class="num">{percentText(position.analysis.win_probability)}</td>
                <td class="num">{pointsText(position.analysis.edge)}</td>
                <td>
                  {stale.length > 0
                    ? countText(null)
                    : (position.analysis.recommendation ?? 'unknown').toLowerCase().replaceAll('_', ' ')}
                  {position.sizing?.action && position.sizing.action !== 'HOLD'
                    ? `, ${ACTIONS[position.sizing.action]} ${usdText(position.sizing.adjustment)} at ${percentText(position.sizing.limit_price)}`
                    : ''}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </ScrollArea>
  );
}

/** The submitted form; a new object each time, so that submitting it again sends a new request. */
interface Submitted {
  readonly wallet: string;
}

function Portfolios(props: {
  readonly client: Client;
  readonly account: string;
  readonly bankroll: number | undefined;
  readonly submitted: Submitted;
}) {
  const { client, account, bankroll, submitted } = props;
  const { wallet } = submitted;
  const portfolios = useAnswer(
    (signal) => client.portfolio(account, { wallet, bankroll }, { signal }),
    [client, account, bankroll, submitted],
    REFRESH_MS,
  );
  return (
    <Loaded answer={portfolios} what="positions">
      {({ data }) => <Positions data={data} />}
    </Loaded>
  );
}

/** The positions of a wallet, each with the estimate of the model. */
export function Wallet(props: {
  readonly client: Client;
  readonly account: string;
  /** Undefined for an account whose positions are not sized. */
  readonly bankroll: number | undefined;
}) {
  const [typed, setTyped] = useState('');
  const [submitted, setSubmitted] = useState<Submitted>();
  return (
    <Panel title="Wallet" note="P&L and advice">
      <form
        class="wallet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed !== '') setSubmitted({ wallet: typed });
        }}
      >
        <label>
          <span class="sr-only">Wallet address</span>
          <input
            name="wallet"
            autocomplete="off"
            spellcheck={false}
            placeholder="0x… address of a wallet"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value.trim())}
          />
        </label>
        <button type="submit" disabled={typed === ''}>
          Show
        </button>
      </form>
      {submitted === undefined ? (
        <Empty title="No wallet yet">Positions are read from the market; nothing is signed or sent.</Empty>
      ) : (
        <Portfolios
          client={props.client}
          account={props.account}
          bankroll={props.bankroll}
          submitted={submitted}
        />
      )}
    </Panel>
  );
}
