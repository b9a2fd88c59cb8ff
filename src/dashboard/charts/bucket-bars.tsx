import { percentText, pointsText } from '../format.ts';
import { memo } from '../parts/memo.tsx';
import type { Prediction } from '../state/records.ts';

type Market = Prediction['markets'][number];

/** The rest is folded away: those that neither the model nor the market gives much. */
const SHOWN = 12;

function standing({ lo, hi }: Market, count: number | null): 'dead' | 'current' | 'open' {
  if (count === null) return 'open';
  if (hi !== null && hi < count) return 'dead';
  return (lo ?? 0) <= count ? 'current' : 'open';
}

function Row(props: { readonly market: Market; readonly count: number | null; readonly most: number }) {
  const { market, count, most } = props;
  const { title, market_price: price, model_prob: prob, edge } = market;
  const state = standing(market, count);
  const tone = edge === null || edge === undefined ? '' : edge > 0.02 ? 'up' : edge < -0.02 ? 'down' : '';
  const wide = (share: number | null | undefined) => ({
    width: `${(((share ?? 0) / most) * 100).toFixed(2)}%`,
  });
  return (
    <tr class={state}>
      <th scope="row">
        {title}
        {state === 'open' ? null : (
          <span class="tag quiet">{state === 'dead' ? 'dead' : 'count is here'}</span>
        )}
      </th>
      <td class="bars" aria-hidden="true">
        <span class="model" style={wide(prob)} />
        <span class="price" style={wide(price)} />
      </td>
      <td class="num">{percentText(prob)}</td>
      <td class="num">{percentText(price)}</td>
      <td class={`num edge ${tone}`}>{pointsText(edge)}</td>
    </tr>
  );
}

/** Of each bucket what the model says and what the market pays. There are as many rows whatever they say. */
export const BucketBars = memo(({ prediction }: { readonly prediction: Prediction }) => {
  const { markets, real_counter: count } = prediction;
  const weight = (market: Market) => Math.max(market.model_prob ?? 0, market.market_price ?? 0);
  const rank = (market: Market) => (standing(market, count) === 'current' ? 1 : weight(market));
  const heaviest = new Set(markets.toSorted((a, b) => rank(b) - rank(a)).slice(0, SHOWN));
  const shown = markets.filter((each) => heaviest.has(each));
  const most = Math.max(0.05, ...shown.map(weight));
  const dead = markets.filter((each) => standing(each, count) === 'dead').length;
  const hidden = markets.length - shown.length;
  const extent = `${markets.length} buckets${hidden > 0 ? `, the ${hidden} least likely not shown` : ''}`;
  return (
    <>
      <table class="buckets">
        <caption class="sr-only">Model probability against market price by bucket</caption>
        <thead>
          <tr>
            <th scope="col">Bucket</th>
            <th scope="col">
              <span class="key model">model</span> <span class="key price">market</span>
            </th>
            <th scope="col" class="num">
              Model
            </th>
            <th scope="col" class="num">
              Market
            </th>
            <th scope="col" class="num">
              Edge
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((market) => (
            <Row key={market.token_id} market={market} count={count} most={most} />
          ))}
        </tbody>
      </table>
      <p class="foot num">{`${extent}, ${dead} dead`}</p>
    </>
  );
});
