import type { Answer } from '../../client/browser.ts';
import { fixedText } from '../format.ts';
import { numbers, TableHead } from './table.tsx';

type Group = Answer<'Calibration'>['data'][number];

const MEASURES = [
  { field: 'crps', name: 'CRPS', about: 'posts', decimals: 2 },
  { field: 'log_score', name: 'Log score', about: 'of the winner', decimals: 3 },
  { field: 'brier', name: 'Brier', about: 'over buckets', decimals: 4 },
] as const;

function isBest(value: number | null, others: readonly (number | null)[]): boolean {
  return value !== null && others.every((other) => other === null || value <= other);
}

/** Model, constant pace and market by the same measures; lower is better. */
export function ScoresTable({ group }: { readonly group: Group }) {
  return (
    <table class="grid scores">
      <caption class="sr-only">Scores of model, constant pace and market; lower is better</caption>
      <TableHead columns={['Lower is better', ...['Model', 'Pace', 'Market'].map(numbers)]} />
      <tbody>
        {MEASURES.map(({ field, name, about, decimals }) => {
          const values = [group[field], group[`${field}_pace`], group[`${field}_market`]];
          return (
            <tr key={name}>
              <th scope="row">
                {name} <small>{about}</small>
              </th>
              {values.map((value, place) => (
                <td key={String(place)} class={`num ${isBest(value, values) ? 'best' : ''}`}>
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
