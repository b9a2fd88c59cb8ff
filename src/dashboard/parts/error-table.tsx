import type { Answer } from '../../client/browser.ts';
import { countText, fixedText } from '../format.ts';
import { numbers, TableHead } from './table.tsx';

type Comparable = Answer<'PerformanceOverview'>['comparable'];

const HORIZONS = [
  { hours: 24, field: 'error_24h' },
  { hours: 48, field: 'error_48h' },
  { hours: 72, field: 'error_72h' },
] as const;

/** The errors of the three horizons over the same events, as others cannot be compared. */
export function ErrorTable({ comparable }: { readonly comparable: Comparable }) {
  return (
    <table class="grid errors">
      <caption>{`Error by horizon over the same ${countText(comparable.n)} events of all accounts`}</caption>
      <TableHead
        columns={['Before the close', ...['Median %', 'p90 %', 'Live', 'Back-filled'].map(numbers)]}
      />
      <tbody>
        {HORIZONS.map(({ hours, field }) => {
          const { median, p90, live, backfilled } = comparable[field];
          return (
            <tr key={field}>
              <th scope="row">{hours} h</th>
              <td class="num">{fixedText(median, 1)}</td>
              <td class="num">{fixedText(p90, 1)}</td>
              <td class="num">{countText(live.sample_size)}</td>
              <td class="num">{countText(backfilled.sample_size)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
