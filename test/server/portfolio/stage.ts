import * as z from 'zod';
import { portfolioRecord } from '../../../src/contract/records/portfolio.ts';
import { rebalancingRecord } from '../../../src/contract/records/rebalancing.ts';
import type { Position } from '../../../src/sources/positions/position.ts';
import type { Output } from '../../../streams/internal.ts';
import {
  countersOutput,
  eventOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
  velocityOutput,
} from '../../support/outputs.ts';
import { type ScriptedMarket, scriptedMarket, WALLET } from '../../support/positions.ts';
import { withSignals } from '../../support/with-signals.ts';
import { json, type Running, start } from '../start.ts';

export const PATH = '/api/v1/portfolio/account_a';
export const PATH_B = '/api/v1/portfolio/account_b';
export const REBALANCING = `${PATH}/rebalancing`;
export const PRO = { 'X-API-Key': 'demo_pro' };

/** Of the bucket that `bucket()` makes, as is `NO`. */
export const PRICE = { eventId: 1, token: 'yes-1', bid: 0.19, ask: 0.21, price: 0.2, at: NOON - 500 };
export const NO = { token: 'no-1', outcome: 'No', currentPrice: 0.8 } as const;
export const EVENT_OF_B = { eventId: 2, subject: { type: 'posts', account: 'b' } } as const;

/** One active event of account A with all there is to know of it: Yes at 0.20, by the model `prob`. */
export function forecasting(prob: number, ...others: readonly Output[]): readonly Output[] {
  const forecast = predictionOutput({ buckets: [predictedBucket({ prob })] }, { seq: 8, at: NOON - 100 });
  const facts = [eventOutput(), countersOutput(), velocityOutput(), priceOutput(PRICE), forecast, ...others];
  return withSignals(facts);
}

export const ALL = forecasting(0.25);

const Portfolios = z.object({ data: z.array(portfolioRecord) });
const Rebalancings = z.object({ data: z.array(rebalancingRecord) });

/** A server and the market it asks, both in the test's hand. What is served is held against the contract. */
export interface WalletStage {
  readonly running: Running;
  readonly market: ScriptedMarket;
  /** As a PRO caller. */
  get(query?: string, path?: string): Promise<Response>;
  records(query?: string, path?: string): Promise<z.infer<typeof Portfolios>['data']>;
  rows(query?: string, path?: string): Promise<z.infer<typeof portfolioRecord>['positions']>;
  rebalancings(query: string): Promise<z.infer<typeof Rebalancings>['data']>;
}

export async function walletStage(
  held: readonly Position[],
  loaded: readonly Output[] = ALL,
): Promise<WalletStage> {
  const market = scriptedMarket(...held);
  const running = await start({ loaded, deps: { positions: market } });
  const get = (query = `wallet=${WALLET}`, path = PATH) => running.get(`${path}?${query}`, PRO);
  const records = async (query?: string, path?: string) =>
    Portfolios.parse(await json(await get(query, path))).data;
  return {
    running,
    market,
    get,
    records,
    rows: async (query, path) => (await records(query, path)).flatMap(({ positions }) => positions),
    rebalancings: async (query) =>
      Rebalancings.parse(await json(await get(`wallet=${WALLET}&${query}`, REBALANCING))).data,
  };
}
