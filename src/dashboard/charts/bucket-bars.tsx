import { useState } from 'preact/hooks';
import { percentText, pointsText } from '../format.ts';
import { memo } from '../parts/memo.tsx';
import { numbers, TableHead } from '../parts/table.tsx';
import { Explained, Term } from '../parts/term.tsx';
import type { Prediction } from '../state/records.ts';
import { bucketRows } from './bucket-rows.ts';
import { type Counts, stateOf } from './bucket-state.ts';

type Market = Prediction['markets'][number];

/** Rows; buckets that are improbable for both the model and the market share one. */
const SHOWN = 12;

const LEGEND = (
  <>
    <span class="key model">model</span> <Term word="Model" /> <span class="key price">market</span>{' '}
    <Term word="Market" />
  </>
);
const COLUMNS = [
  'Bucket',
  { title: LEGEND, isNumber: false },
  ...['Model', 'Market', <Explained key="edge" word="Edge" />].map(numbers),
];

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

/** Neighbours in one row, none of which is likely. */
function GroupRow({ markets, counts }: { readonly markets: readonly Market[]; readonly counts: Counts }) {
  const sum = (read: (market: Market) => number | null | undefined) =>
    markets.reduce((total, market) => total + (read(market) ?? 0), 0);
  const states = markets.map((market) => stateOf(market, counts));
  const passed = states.filter((state) => state === 'passed').length;
  const dead = states.filter((state) => state === 'dead').length;
  const isModelKnown = markets.some(({ model_prob }) => model_prob != null);
  return (
    <tr class="group-row">
      <th scope="row" title={`${markets[0]?.title} to ${markets.at(-1)?.title}`}>
        {`${markets[0]?.title} … ${markets.at(-1)?.title}`}
      </th>
      <td>
        {`${markets.length} buckets${dead > 0 ? `, ${dead} dead` : ''}`}
        {passed > 0 ? <span class="tag bad">{`${passed} passed`}</span> : null}
      </td>
      <td class="num">{percentText(isModelKnown ? sum(({ model_prob }) => model_prob) : null)}</td>
      <td class="num">{percentText(sum(({ market_price }) => market_price))}</td>
      <td class="num" />
    </tr>
  );
}

/** Model probability and market price of each bucket, likely ones one by one. No bucket is left out. */
export const BucketBars = memo(({ prediction }: { readonly prediction: Prediction }) => {
  const { markets, real_counter: own, market_oracle_counter: oracle } = prediction;
  const [isWhole, setIsWhole] = useState(false);
  const counts = { own, oracle };
  const likelihood = (market: Market) => Math.max(market.model_prob ?? 0, market.market_price ?? 0);
  const weight = (market: Market) => {
    const state = stateOf(market, counts);
    return state === 'current' ? 1 : state === 'dead' ? 0 : likelihood(market);
  };
  const rows = bucketRows(markets, weight, isWhole ? markets.length : SHOWN);
  const most = Math.max(0.05, ...markets.map(likelihood));
  const dead = markets.filter((each) => stateOf(each, counts) === 'dead').length;
  return (
    <>
      <table class="buckets">
        <caption class="sr-only">Model probability against market price by bucket</caption>
        <TableHead columns={COLUMNS} />
        <tbody>
          {rows.map((row) =>
            row.type === 'one' ? (
              <Row key={row.bucket.token_id} market={row.bucket} counts={counts} most={most} />
            ) : (
              <GroupRow key={row.buckets[0]?.token_id} markets={row.buckets} counts={counts} />
            ),
          )}
        </tbody>
      </table>
      <p class="foot num">
        {`${markets.length} buckets, ${dead} dead `}
        <Term word="Dead" />{' '}
        {markets.length > SHOWN ? (
          <button type="button" class="small" onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? 'Group the unlikely ones' : `Show all ${markets.length}`}
          </button>
        ) : null}
      </p>
    </>
  );
});
