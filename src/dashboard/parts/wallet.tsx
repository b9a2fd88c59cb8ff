import { useState } from 'preact/hooks';
import type { Answer, Client } from '../../client/browser.ts';
import { percentText, pointsText, signed, usdText, windowText } from '../format.ts';
import { useAnswer } from './hooks.ts';
import { Empty, Loading, Panel } from './panel.tsx';

type Portfolio = Answer<'PortfolioAnswer'>['data'][number];
/** Prices move, and so do results. */
const AGAIN_MS = 60_000;

const ACTIONS = { ADD_MORE: 'add', TRIM: 'trim', HOLD: 'hold' } as const;

function Positions({ data }: { readonly data: readonly Portfolio[] }) {
  const held = data.filter(({ positions }) => positions.length > 0);
  if (held.length === 0)
    return <Empty title="Nothing held">This wallet has no open position in these events.</Empty>;
  return (
    <section class="scroll" aria-label="Positions" tabIndex={0}>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Position</th>
            <th scope="col" class="num">
              Value
            </th>
            <th scope="col" class="num">
              P&amp;L
            </th>
            <th scope="col" class="num">
              Wins
            </th>
            <th scope="col" class="num">
              Edge
            </th>
            <th scope="col">Advice</th>
          </tr>
        </thead>
        {held.map(({ event, positions, portfolio }) => (
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
                  {(position.analysis.recommendation ?? 'unknown').toLowerCase().replaceAll('_', ' ')}
                  {position.sizing?.action && position.sizing.action !== 'HOLD'
                    ? `, ${ACTIONS[position.sizing.action]} ${usdText(position.sizing.adjustment)}`
                    : ''}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

/** A wallet as it was asked for; another object each time. */
interface Wanted {
  readonly wallet: string;
}

function Held(props: {
  readonly client: Client;
  readonly account: string;
  readonly bankroll: number;
  readonly wanted: Wanted;
}) {
  const { client, account, bankroll, wanted } = props;
  const { wallet } = wanted;
  const asked = useAnswer(
    (signal) => client.portfolio(account, { wallet, bankroll }, { signal }),
    [client, account, bankroll, wanted],
    AGAIN_MS,
  );
  if (asked.state === 'loading') return <Loading what="positions" />;
  if (asked.state === 'failed') return <Empty title="Not answered">{asked.why}</Empty>;
  return <Positions data={asked.value.data} />;
}

/** What a wallet holds, against the model. */
export function Wallet(props: {
  readonly client: Client;
  readonly account: string;
  readonly bankroll: number;
}) {
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState<Wanted>();
  return (
    <Panel title="Wallet" note="P&L and advice">
      <form
        class="wallet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed !== '') setWanted({ wallet: typed });
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
      {wanted === undefined ? (
        <Empty title="No wallet yet">Positions are read from the market; nothing is signed or sent.</Empty>
      ) : (
        <Held client={props.client} account={props.account} bankroll={props.bankroll} wanted={wanted} />
      )}
    </Panel>
  );
}
