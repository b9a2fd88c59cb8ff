import type { Answer } from '../../client/browser.ts';
import { countText, fixedText } from '../format.ts';
import { originText } from '../record-text.ts';
import { numbers, TableHead } from './table.tsx';
import { Explained, Term } from './term.tsx';

type Group = Answer<'Calibration'>['data'][number];

const MEASURES = [
  { field: 'crps', name: 'CRPS', about: 'posts', decimals: 2 },
  { field: 'log_score', name: 'Log score', about: 'of the winner', decimals: 3 },
  { field: 'brier', name: 'Brier', about: 'over buckets', decimals: 4 },
] as const;

function isBest(value: number | null, others: readonly (number | null)[]): boolean {
  return value !== null && others.every((other) => other === null || value <= other);
}

/**
 * Model, constant pace and market by the same measures; lower is better. The market's scores are of the events with
 * prices, so unless these are all events they are not compared with the others.
 */
export function ScoresTable({ group }: { readonly group: Group }) {
  const isMarketComparable = group.n_market === group.n;
  const samples = `${countText(group.n)} ${originText(group.origin)} forecasts`;
  return (
    <table class="grid scores">
      <caption>{`Scores over ${samples}, the market's over ${countText(group.n_market)} with prices`}</caption>
      <TableHead
        columns={[
          'Lower is better',
          ...['Model', <Explained key="pace" word="Pace" />, 'Market'].map(numbers),
        ]}
      />
      <tbody>
        {MEASURES.map(({ field, name, about, decimals }) => {
          const values = [group[field], group[`${field}_pace`], group[`${field}_market`]];
          const compared = isMarketComparable ? values : values.slice(0, 2);
          return (
            <tr key={name}>
              <th scope="row">
                {name} <Term word={name} /> <small>{about}</small>
              </th>
              {values.map((value, place) => (
                <td
                  key={String(place)}
                  class={`num ${place < compared.length && isBest(value, compared) ? 'best' : ''}`}
                >
                  {fixedText(value, decimals)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
