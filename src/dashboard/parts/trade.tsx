import { useEffect, useState } from 'preact/hooks';
import { countText, usdText } from '../format.ts';
import type { Signals } from '../state/records.ts';
import type { Session } from '../state/session.ts';
import { useAccountName } from './account-names.ts';
import { deferred } from './deferred.tsx';
import { useSettled } from './hooks.ts';
import { Empty, Loading, Panel } from './panel.tsx';
import { SignalsTable } from './signals-table.tsx';
import { Term } from './term.tsx';
import { Wallet } from './wallet.tsx';

/** Bankrolls in USD. The slider is logarithmic. */
const LEAST = 10;
const MOST = 100_000;
const DEFAULT = 1_000;
/** Signals are requested once the slider rests this long. */
const SETTLE_MS = 400;

const bankrollAt = (place: number) => {
  const exact = LEAST * (MOST / LEAST) ** (place / 100);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  return Math.round(exact / unit) * unit;
};
const placeOf = (bankroll: number) => (100 * Math.log(bankroll / LEAST)) / Math.log(MOST / LEAST);

interface TradeProps {
  readonly session: Session;
  readonly account: string;
  /** Whether positions of the account are sized for a bankroll. */
  readonly isSized: boolean;
  /** Signals of the shown event; undefined while it has none. */
  readonly signals: Signals | undefined;
  readonly areSignalsLoaded: boolean;
  readonly isPaid: boolean;
}

/** The section Trade: signals for a bankroll, and a wallet. */
export const Trade = deferred(3, (props: TradeProps) => {
  const { session, account, signals, areSignalsLoaded, isPaid } = props;
  const nameOf = useAccountName();
  const [place, setPlace] = useState(placeOf(DEFAULT));
  const [isUnproven, setIsUnproven] = useState(true);
  const bankroll = bankrollAt(place);
  const settled = useSettled(bankroll, SETTLE_MS);
  useEffect(() => {
    if (isPaid) session.followSignals(settled, isUnproven);
  }, [session, settled, isUnproven, isPaid]);
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
          <Panel title="Signals" term="Signals" note={`${nameOf(account)}, sized for ${usdText(bankroll)}`}>
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
              <Term word="Bankroll" />
              <label class="check">
                <input
                  type="checkbox"
                  checked={isUnproven}
                  onChange={(change) => setIsUnproven(change.currentTarget.checked)}
                />
                also where the model is not shown to beat the market, at half the size
              </label>
            </div>
            {areSignalsLoaded ? null : <Loading what="signals" />}
            {areSignalsLoaded && signals === undefined ? (
              <Empty title="No signals for this event">Nothing is open to trade on here.</Empty>
            ) : null}
            {signals === undefined ? null : <SignalsTable signals={signals} />}
          </Panel>
          <Wallet client={session.client} account={account} bankroll={props.isSized ? settled : undefined} />
        </div>
      ) : null}
    </section>
  );
});
