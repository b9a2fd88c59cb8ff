import { catchError, concat, defer, exhaustMap, ignoreElements, merge, tap, throwError, timer } from 'rxjs';
import { TOLERANCE_MS } from '../../../streams/internal.ts';
import { SourceError } from '../../errors.ts';
import type { Endpoints } from '../endpoints.ts';
import { runOnce } from '../poll-in-turn.ts';
import { decodePayload, readEach, readPayload } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import { createSilenceWatchdog } from '../silence-watchdog.ts';
import { frameJson, openSocket } from '../socket.ts';
import type { Source, SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
import { tickerFrame, tickerPrice } from './crypto-payload.ts';

interface SpotTick {
  readonly symbol: string;
  readonly price: number;
  readonly at: number;
}

/**
 * Spot prices from the exchange's ticker stream, delivered at most once a second. When the stream fails, each
 * price is asked for once before the failure is reported, so every restart brings at least one price.
 */
export function cryptoSource(endpoints: Endpoints, settings: SourceSettings): Source {
  const { socketUrl, restUrl, symbols } = endpoints.crypto;
  const symbolOf = new Map(symbols.map(({ pair, symbol }) => [pair.toUpperCase(), symbol]));
  const faults = tellOnce(symbols.length + 1);
  const streams = symbols.map(({ pair }) => `${pair.toLowerCase()}@miniTicker`).join('/');

  function run(context: SourceContext) {
    const watchdog = createSilenceWatchdog(settings.spotSilentMs, 'spot price');
    // The newest of each symbol since the last delivery, and the price delivered last.
    const pending = new Map<string, SpotTick>();
    const delivered = new Map<string, number>();
    /** When each symbol was last heard of, by the clock that never goes back. */
    const heardAt: Record<string, number> = {};
    let hasNews = false;
    context.follow(() => symbols.map(({ symbol }) => ({ value: symbol })));

    function read(text: string | null) {
      const json = frameJson(text);
      if (json === undefined) return;
      const frame = 'reason' in json ? json : decodePayload(tickerFrame, json.value);
      if ('reason' in frame) {
        context.refused(`a frame of the tickers: ${frame.reason}`);
        return;
      }
      if (frame.value.stream === undefined) return;
      const { s: pair, c: price, E: at } = frame.value.data;
      const symbol = symbolOf.get(pair.toUpperCase());
      if (symbol === undefined) return;
      if (at > context.now() + TOLERANCE_MS) {
        faults.tell(symbol, `the price of ${symbol} is of a time ahead of our clock`, context);
        return;
      }
      faults.tell(symbol, null, context);
      watchdog.dataArrived();
      heardAt[symbol] = context.mono();
      hasNews = true;
      if (delivered.get(symbol) === price) pending.delete(symbol);
      else pending.set(symbol, { symbol, price, at });
    }

    // A copy, as prices that are heard while this delivery is under way are not part of it.
    const deliver = (ticks: readonly SpotTick[]) =>
      context.deliver(ticks.length > 0 ? [{ kind: 'spot', ticks }] : [], undefined, { ...heardAt });

    async function flush() {
      if (!hasNews) return;
      const ticks = [...pending.values()];
      pending.clear();
      hasNews = false;
      for (const { symbol, price } of ticks) delivered.set(symbol, price);
      await deliver(ticks);
    }

    // Symbol by symbol, so that one whose price cannot be read does not keep back the others.
    async function ask(signal: AbortSignal) {
      await readEach(symbols, async ({ symbol, pair }) => {
        const url = `${restUrl}/api/v3/ticker/price?symbol=${encodeURIComponent(pair.toUpperCase())}`;
        const request = {
          signal,
          timeoutMs: settings.timeoutMs,
          headers: { 'user-agent': endpoints.userAgent },
        };
        const { price } = await readPayload(url, tickerPrice, request, context);
        heardAt[symbol] = context.mono();
        await deliver(delivered.get(symbol) === price ? [] : [{ symbol, price, at: context.now() }]);
      });
    }

    const options = { userAgent: endpoints.userAgent, timeoutMs: settings.timeoutMs };
    const socket$ = openSocket(`${socketUrl}/stream?streams=${streams}`, options).pipe(
      tap((event) => {
        if (event.type === 'frame') read(event.text);
      }),
    );
    const flushes$ = timer(settings.spotPeriodMs, settings.spotPeriodMs).pipe(
      exhaustMap(() => runOnce(flush)),
    );
    return merge(socket$, watchdog.silence$, flushes$).pipe(
      ignoreElements(),
      catchError((error: unknown) => {
        const failure$ = throwError(() => error);
        // A provider that asks us to wait is not asked for anything meanwhile.
        const mayAsk = error instanceof SourceError && error.retryAfterMs === undefined;
        return mayAsk ? concat(runOnce(ask), failure$) : failure$;
      }),
    );
  }

  return {
    name: 'crypto',
    silentAfterMs: 2 * settings.spotSilentMs,
    usualMs: settings.spotSilentMs,
    run: (context) => defer(() => run(context)),
  };
}
