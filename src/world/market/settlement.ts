import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import type { Overrides } from '../control/overrides.ts';
import { unit } from '../rng.ts';
import type { WorldEvent, WorldMarket } from './event.ts';
import type { OracleCount } from './oracle-count.ts';
import { spotPrice, symbolOf } from './spot-price.ts';

export interface Phase {
  readonly isClosed: boolean;
  readonly closedAt: number | null;
  readonly resolution: 'none' | 'proposed' | 'resolved';
}

/** When events close and who wins. */
export interface Settlement {
  phase(event: WorldEvent, now: number): Phase;
  /** Whether the first outcome of a closed event's market won. */
  won(event: WorldEvent, market: WorldMarket, now: number): boolean;
}

const MOST_FINALS = 50_000;
const OPEN: Phase = { isClosed: false, closedAt: null, resolution: 'none' };

export function createSettlement(options: {
  readonly seed: number;
  readonly overrides: Overrides;
  readonly oracleCount: OracleCount;
}): Settlement {
  const { seed, overrides, oracleCount } = options;
  const finals = new Map<number, number>();
  let revision = overrides.revision;

  /** The settlement takes one to three hours for counts, minutes for prices. */
  function naturalCloseAt(event: WorldEvent): number {
    const draw = unit(seed, 'close', event.id);
    const delayMs = event.subject.type === 'posts' ? (1 + 2 * draw) * HOUR_MS : (2 + 6 * draw) * MINUTE_MS;
    return event.endAt + Math.floor(delayMs);
  }

  function phase(event: WorldEvent, now: number): Phase {
    if (overrides.reopened.has(event.id)) return OPEN;
    const closedAt = Math.min(
      overrides.closures.get(event.id)?.at ?? Number.POSITIVE_INFINITY,
      naturalCloseAt(event),
    );
    if (closedAt <= now) return { isClosed: true, closedAt, resolution: 'resolved' };
    return now >= event.endAt + 10 * MINUTE_MS ? { ...OPEN, resolution: 'proposed' } : OPEN;
  }

  /** The count or price the event settles on. */
  function final(event: WorldEvent, closedAt: number): number {
    const { subject } = event;
    if (revision !== overrides.revision || finals.size > MOST_FINALS) {
      revision = overrides.revision;
      finals.clear();
    }
    let value = finals.get(event.id);
    if (value === undefined) {
      const symbol = subject.type === 'crypto' ? symbolOf(subject.symbol) : undefined;
      value =
        symbol === undefined ? oracleCount.total(event, closedAt) : spotPrice(seed, symbol, event.endAt);
      finals.set(event.id, value);
    }
    return value;
  }

  return {
    phase,
    won(event, market, now) {
      const winner = overrides.closures.get(event.id)?.value ?? null;
      if (winner !== null) return market.title === winner || market.outcomes[0] === winner;
      const value = final(event, phase(event, now).closedAt ?? now);
      const { subject } = event;
      if (subject.type === 'posts') return value >= market.lo && (market.hi === null || value <= market.hi);
      const symbol = symbolOf(subject.symbol);
      if (subject.kind === 'up-down')
        return symbol !== undefined && value >= spotPrice(seed, symbol, event.startAt);
      return subject.kind === 'ladder'
        ? value > market.lo
        : value >= market.lo && (market.hi === null || value < market.hi);
    },
  };
}
