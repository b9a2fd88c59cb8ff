import type { Answer } from '../../client/browser.ts';
import { fixedText } from '../format.ts';
import { numbers, TableHead } from './table.tsx';

type Group = Answer<'Calibration'>['data'][number];

interface Measure {
  readonly name: string;
  readonly about: string;
  readonly decimals: number;
  readonly model: number | null;
  readonly pace: number | null;
  readonly market: number | null;
}

function measuresOf(group: Group): readonly Measure[] {
  return [
    {
      name: 'CRPS',
      about: 'posts',
      decimals: 2,
      model: group.crps,
      pace: group.crps_pace,
      market: group.crps_market,
    },
    {
      name: 'Log score',
      about: 'of the winner',
      decimals: 3,
      model: group.log_score,
      pace: group.log_score_pace,
      market: group.log_score_market,
    },
    {
      name: 'Brier',
      about: 'over buckets',
      decimals: 4,
      model: group.brier,
      pace: group.brier_pace,
      market: group.brier_market,
    },
  ];
}

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
        {measuresOf(group).map(({ name, about, decimals, ...by }) => {
          const values = [by.model, by.pace, by.market];
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
