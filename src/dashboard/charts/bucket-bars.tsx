import { percentText, pointsText } from '../format.ts';
import { memo } from '../parts/memo.tsx';
import { numbers, TableHead } from '../parts/table.tsx';
import type { Prediction } from '../state/records.ts';
import { type Counts, stateOf } from './bucket-state.ts';

type Market = Prediction['markets'][number];

/** The other buckets are improbable for both the model and the market. */
const SHOWN = 12;

const LEGEND = (
  <>
    <span class="key model">model</span> <span class="key price">market</span>
  </>
);
const COLUMNS = ['Bucket', { title: LEGEND, isNumber: false }, ...['Model', 'Market', 'Edge'].map(numbers)];

const TAGS = { passed: 'passed', dead: 'dead', current: 'count is here' } as const;

function Row(props: { readonly market: Market; readonly counts: Counts; readonly most: number }) {
  const { market, counts, most } = props;
  const { title, market_price: price, model_prob: prob, edge } = market;
  const state = stateOf(market, counts);
  const tone = edge === null || edge === undefined ? '' : edge > 0.02 ? 'up' : edge < -0.02 ? 'down' : '';
  const widthOf = (share: number | null | undefined) => ({
    width: `${(((share ?? 0) / most) * 100).toFixed(2)}%`,
  });
  return (
    <tr class={state}>
      <th scope="row">
        {title}
        {state === 'open' ? null : <span class="tag quiet">{TAGS[state]}</span>}
      </th>
      <td class="bars" aria-hidden="true">
        <span class="model" style={widthOf(prob)} />
        <span class="price" style={widthOf(price)} />
      </td>
      <td class="num">{percentText(prob)}</td>
      <td class="num">{percentText(price)}</td>
      <td class={`num edge ${tone}`}>{pointsText(edge)}</td>
    </tr>
  );
}

/** Model probability and market price of each bucket. The number of rows does not depend on their values. */
export const BucketBars = memo(({ prediction }: { readonly prediction: Prediction }) => {
  const { markets, real_counter: own, market_oracle_counter: oracle } = prediction;
  const counts = { own, oracle };
  const likelihood = (market: Market) => Math.max(market.model_prob ?? 0, market.market_price ?? 0);
  const rank = (market: Market) => {
    const state = stateOf(market, counts);
    return state === 'current' ? 1 : state === 'dead' ? 0 : likelihood(market);
  };
  const likeliest = new Set(markets.toSorted((a, b) => rank(b) - rank(a)).slice(0, SHOWN));
  const shown = markets.filter((each) => likeliest.has(each));
  const most = Math.max(0.05, ...shown.map(likelihood));
  const dead = markets.filter((each) => stateOf(each, counts) === 'dead').length;
  const hidden = markets.length - shown.length;
  const extent = `${markets.length} buckets${hidden > 0 ? `, the ${hidden} least likely not shown` : ''}`;
  return (
    <>
      <table class="buckets">
        <caption class="sr-only">Model probability against market price by bucket</caption>
        <TableHead columns={COLUMNS} />
        <tbody>
          {shown.map((market) => (
            <Row key={market.token_id} market={market} counts={counts} most={most} />
          ))}
        </tbody>
      </table>
      <p class="foot num">{`${extent}, ${dead} dead`}</p>
    </>
  );
});
