import type { Client } from '../../client/browser.ts';
import { countdownText, percentText, usdText } from '../format.ts';
import { hasWords } from '../state/search.ts';
import { SECOND_MS } from '../time-spans.ts';
import { useAnswer } from './hooks.ts';
import { Loaded } from './panel.tsx';
import { numbers, ScrollArea, TableHead } from './table.tsx';
import { Explained } from './term.tsx';

/** Without a key there are a hundred calls an hour. */
const REFRESH_MS = 60 * SECOND_MS;
const COLUMNS = [
  'Event on a coin',
  ...['Spot', <Explained key="to-beat" word="To beat" />, 'Likeliest', 'Closes in'].map(numbers),
];

/** The events on prices of coins that have all words of the text, the next to close first. */
export function CryptoEvents(props: {
  readonly client: Client;
  readonly text: string;
  readonly now: number;
}) {
  const { client, text, now } = props;
  const answer = useAnswer((signal) => client.crypto({ signal }), [client], REFRESH_MS);
  return (
    <Loaded answer={answer} what="events on coins">
      {({ data }) => {
        const found = data
          .filter(({ symbol, event_title }) => hasWords(`${symbol} ${event_title}`, text))
          .toSorted((a, b) => a.end_ts - b.end_ts);
        if (found.length === 0) return <p class="none">No event on a coin.</p>;
        return (
          <ScrollArea label="Events on coins">
            <table class="grid crypto">
              <TableHead columns={COLUMNS} />
              <tbody>
                {found.map((event) => {
                  const [likeliest] = event.markets.toSorted(
                    (a, b) => (b.market_price ?? 0) - (a.market_price ?? 0),
                  );
                  return (
                    <tr key={event.event_id}>
                      <th scope="row">{`${event.symbol}, ${event.event_title}`}</th>
                      <td class="num">{usdText(event.spot_price)}</td>
                      <td class="num">{usdText(event.reference_price)}</td>
                      <td class="num">{`${likeliest?.title ?? ''} ${percentText(likeliest?.market_price)}`}</td>
                      <td class="num">{countdownText(event.end_ts - now)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </ScrollArea>
        );
      }}
    </Loaded>
  );
}
