import { useState } from 'preact/hooks';
import type { Client } from '../../client/browser.ts';
import { countdownText, countText, pointsText, signed, windowText } from '../format.ts';
import { arranged, ORDERS, type Order, type OverviewRow } from '../state/overview.ts';
import { useAccountName } from './account-names.ts';
import { CryptoEvents } from './crypto-events.tsx';
import { numbers, ScrollArea, TableHead } from './table.tsx';
import { Explained, Term } from './term.tsx';

const LEAD = <Explained word="Lead" />;
const BEST_EDGE = (
  <>
    Best edge <Term word="Edge" />
  </>
);
const COLUMNS = ['Event', ...['Count', LEAD, BEST_EDGE, 'Closes in'].map(numbers)];

interface OverviewProps {
  readonly client: Client;
  readonly rows: readonly OverviewRow[];
  readonly shown: number | undefined;
  readonly now: number;
  readonly onChoose: (chosen: { readonly account: string; readonly eventId: number }) => void;
}

/** All events in one table that can be searched and sorted; closed until somebody wants it. */
export function Overview(props: OverviewProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="overview" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{`All events, ${props.rows.length} on posts, and those on coins`}</summary>
      {isOpen ? <OpenOverview {...props} /> : null}
    </details>
  );
}

function OpenOverview({ client, rows, shown, now, onChoose }: OverviewProps) {
  const nameOf = useAccountName();
  const [order, setOrder] = useState<Order>('time left');
  const [text, setText] = useState('');
  const found = arranged(rows, order, text, nameOf);
  return (
    <>
      <div class="picker">
        <label>
          Find an event
          <input
            type="search"
            name="find-event"
            value={text}
            placeholder="account, month, coin"
            onInput={(input) => setText(input.currentTarget.value)}
          />
        </label>
        <label>
          Sorted by
          <select
            name="order"
            value={order}
            onChange={(change) => {
              const { value } = change.currentTarget;
              setOrder(ORDERS.find((each) => each === value) ?? 'time left');
            }}
          >
            {ORDERS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      <ScrollArea label="All events">
        <table class="grid">
          <TableHead columns={COLUMNS} />
          <tbody>
            {found.map((row) => (
              <tr
                key={row.eventId}
                class={`${row.eventId === shown ? 'chosen' : ''} ${row.isStale ? 'is-stale' : ''}`}
              >
                <th scope="row">
                  <button type="button" class="small" onClick={() => onChoose(row)}>
                    {`${nameOf(row.account)}, ${windowText(row.title)}`}
                  </button>
                </th>
                <td class="num">{countText(row.count)}</td>
                <td class="num">{row.lead === null ? countText(null) : signed(row.lead)}</td>
                <td class="num">
                  {row.edge === null ? countText(null) : `${pointsText(row.edge)} in ${row.bucket}`}
                </td>
                <td class="num">{countdownText(row.endAt - now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {found.length === 0 ? <p class="none">No event on posts has these words.</p> : null}
      <CryptoEvents client={client} text={text} now={now} />
    </>
  );
}
