import { MINUTE_MS, median } from '../../streams/internal.ts';
import type { AnswerHeaders } from './http-exchange.ts';

/** The present by the clocks of the hosts that sources read. */
interface WorldTime {
  /** Takes the time from the headers of an answer. */
  onHeaders(url: string, headers: AnswerHeaders): void;
  /** UTC ms, the median over hosts; undefined while none has told lately. */
  now(): number | undefined;
}

/** What a host told longer ago says nothing about the present. */
const FRESH_MS = 10 * MINUTE_MS;
const SECOND_MS = 1_000;

interface Told {
  /** The host's time less the machine's since boot. */
  readonly offsetMs: number;
  readonly heardAt: number;
  /** UTC ms. */
  readonly toldAt: number;
}

/** `sinceBoot` is in ms and carries on what was told. Each host counts once, however often it answers. */
export function createWorldTime(sinceBoot: () => number): WorldTime {
  const byHost = new Map<string, Told>();
  return {
    onHeaders(url, headers) {
      const toldAt = dateOf(headers);
      const { host } = new URL(url);
      // Dates are whole seconds, so the first answer with one is the nearest to it. With many accounts the others are many.
      if (toldAt === undefined || toldAt === byHost.get(host)?.toldAt) return;
      const heardAt = sinceBoot();
      byHost.set(host, { offsetMs: toldAt - heardAt, heardAt, toldAt });
    },
    now() {
      const boot = sinceBoot();
      const fresh = Array.from(byHost.values()).filter(({ heardAt }) => boot - heardAt <= FRESH_MS);
      const offsetMs = median(fresh.map((told) => told.offsetMs).sort((a, b) => a - b));
      return offsetMs === null ? undefined : boot + offsetMs;
    },
  };
}

/** When the answer was sent, UTC ms. A cache sends the date of the origin, and how long it has kept the answer. */
function dateOf(headers: AnswerHeaders): number | undefined {
  const at = Date.parse(headers.get('date') ?? '');
  const keptS = Number(headers.get('age') ?? '0');
  return Number.isNaN(at) || !(keptS >= 0) ? undefined : at + keptS * SECOND_MS;
}
