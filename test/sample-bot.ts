/**
 * A trading bot written from the specification of the interface alone: it uses no field, path or parameter beyond it, and
 * none of our types.
 */

interface Signal {
  readonly bucket: string;
  readonly token_id: string;
  readonly action: string;
  readonly suggested_bet: number;
}

interface SignalEvent {
  readonly event_id: number;
  readonly signals: readonly Signal[];
}

interface Position {
  readonly event_id: string;
  readonly bucket: string;
  readonly tokens: number;
  readonly analysis: { readonly edge: number; readonly signal: string; readonly recommendation: string };
}

interface PortfolioEvent {
  readonly positions: readonly Position[];
}

interface Buy {
  readonly token: string;
  readonly usd: number;
}

interface Sale {
  readonly token: string;
  readonly shares: number;
  readonly edge: number;
}

export function sampleBot(baseUrl: string, key: string, ask = fetch) {
  async function read<Item>(path: string): Promise<readonly Item[]> {
    const response = await ask(`${baseUrl}/api/v1${path}`, { headers: { 'X-API-Key': key } });
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
    const { data } = (await response.json()) as { readonly data: readonly Item[] };
    return data;
  }

  return {
    /** Everything worth buying with a bankroll. */
    async buys(account: string, bankroll: number): Promise<readonly Buy[]> {
      const query = `bankroll=${bankroll}&only_with_signals=true`;
      const events = await read<SignalEvent>(`/signals/${account}?${query}`);
      return events
        .flatMap(({ signals }) => signals)
        .filter(({ action, suggested_bet }) => action === 'BUY' && suggested_bet > 0)
        .map(({ token_id, suggested_bet }) => ({ token: token_id, usd: suggested_bet }));
    },

    /** All positions that both the portfolio and their signal advise to sell. */
    async sales(account: string, wallet: string): Promise<readonly Sale[]> {
      const events = await read<SignalEvent>(`/signals/${account}`);
      const portfolios = await read<PortfolioEvent>(`/portfolio/${account}?wallet=${wallet}`);
      return portfolios
        .flatMap(({ positions }) => positions)
        .filter(
          ({ analysis }) => analysis.signal === 'SELL' && analysis.recommendation === 'CONSIDER_SELLING',
        )
        .flatMap(({ event_id, bucket, tokens, analysis }) => {
          const event = events.find((each) => String(each.event_id) === event_id);
          const signal = event?.signals.find((each) => each.bucket === bucket);
          if (signal?.action !== 'SELL') return [];
          return [{ token: signal.token_id, shares: tokens, edge: analysis.edge }];
        });
    },
  };
}
