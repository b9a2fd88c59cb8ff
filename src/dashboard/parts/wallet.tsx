import { useState } from 'preact/hooks';
import type { Client } from '../../client/browser.ts';
import { MINUTE_MS } from '../time-spans.ts';
import { useAnswer } from './hooks.ts';
import { Empty, Loaded, Panel } from './panel.tsx';
import { Positions } from './positions.tsx';
import { useSettings } from './settings.ts';

const REFRESH_MS = MINUTE_MS;

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
    [client, account, submitted],
    REFRESH_MS,
    [bankroll],
  );
  return (
    <Loaded answer={portfolios} what="positions">
      {({ data }, isOld) => (
        <div class={isOld ? 'old' : ''} aria-busy={isOld}>
          <Positions data={data} />
        </div>
      )}
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
  const { demoWallet } = useSettings();
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
        <Empty title="No wallet yet">
          Positions are read from the market; nothing is signed or sent.{' '}
          {demoWallet === undefined ? null : (
            <button
              type="button"
              class="small"
              onClick={() => {
                setTyped(demoWallet);
                setSubmitted({ wallet: demoWallet });
              }}
            >
              Try the demo's wallet
            </button>
          )}
        </Empty>
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
