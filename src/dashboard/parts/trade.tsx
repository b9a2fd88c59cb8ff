import { useEffect, useState } from 'preact/hooks';
import { accountText, countText, usdText } from '../format.ts';
import type { AccountState, Counters, State } from '../state/records.ts';
import type { Session } from '../state/session.ts';
import { Empty, Loading, Panel } from './panel.tsx';
import { SignalsTable } from './signals-table.tsx';
import { Wallet } from './wallet.tsx';

/** USD. The slider goes by powers, as bankrolls do. */
const LEAST = 10;
const MOST = 100_000;
const FIRST = 1_000;
/** While the slider moves nothing is asked for. */
const SETTLE_MS = 400;

const bankrollAt = (place: number) => {
  const exact = LEAST * (MOST / LEAST) ** (place / 100);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  return Math.round(exact / unit) * unit;
};
const placeOf = (bankroll: number) => (100 * Math.log(bankroll / LEAST)) / Math.log(MOST / LEAST);

/** What to do about it. */
export function Trade(props: {
  readonly state: State;
  readonly session: Session;
  readonly account: string;
  readonly known: AccountState;
  readonly event: Counters;
}) {
  const { state, session, account, known, event } = props;
  const [place, setPlace] = useState(placeOf(FIRST));
  const [isUnproven, setIsUnproven] = useState(false);
  const bankroll = bankrollAt(place);
  const isPaid = state.key === 'accepted';
  useEffect(() => {
    if (!isPaid) return;
    const timer = setTimeout(() => session.size(bankroll, isUnproven), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [session, bankroll, isUnproven, isPaid]);
  const signals = known.signals?.find(({ event_id }) => event_id === event.event_id);
  return (
    <section id="trade" class="wide" aria-labelledby="trade-title">
      <h2 id="trade-title">
        Trade <span>estimates, and no promise of profit</span>
      </h2>
      {isPaid ? null : (
        <Panel title="Signals and positions">
          <Empty title="Signals need a PRO key">Type one in at the top; it is kept in this tab only.</Empty>
        </Panel>
      )}
      {isPaid ? (
        <div class="pair">
          <Panel title="Signals" note={`${accountText(account)}, sized for ${usdText(bankroll)}`}>
            <div class="sizing">
              <label>
                Bankroll <output class="num">{usdText(bankroll)}</output>
                <input
                  type="range"
                  min={0}
                  max={100}
                  value={place}
                  aria-valuetext={`${countText(bankroll)} dollars`}
                  onInput={(change) => setPlace(Number(change.currentTarget.value))}
                />
              </label>
              <label class="check">
                <input
                  type="checkbox"
                  checked={isUnproven}
                  onChange={(change) => setIsUnproven(change.currentTarget.checked)}
                />
                also where no skill is demonstrated
              </label>
            </div>
            {known.signals === undefined ? <Loading what="signals" /> : null}
            {known.signals !== undefined && signals === undefined ? (
              <Empty title="No signals for this event">Nothing is open to trade on here.</Empty>
            ) : null}
            {signals === undefined ? null : <SignalsTable signals={signals} />}
          </Panel>
          <Wallet key={account} client={session.client} account={account} bankroll={bankroll} />
        </div>
      ) : null}
    </section>
  );
}
