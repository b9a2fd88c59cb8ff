import { HOUR_MS } from '../../../streams/internal.ts';
import type { Tier } from '../tiers.ts';

/** Requests per hour by tier; null for no limit (spec 8). */
export type Limits = Readonly<Record<Tier, number | null>>;

export const LIMITS: Limits = { FREE: 100, PRO: 10_000, INTERNAL: null };

const HOUR_SECONDS = HOUR_MS / 1_000;

/** A limit and the parts of its headers that never change. */
export interface Policy {
  readonly limit: number;
  readonly limitText: string;
  /** A structured string, as the IETF draft of the RateLimit fields requires of names. */
  readonly name: string;
  readonly header: string;
}

export function policyOf(tier: Tier, limit: number): Policy {
  const name = `"${tier.toLowerCase()}"`;
  return { limit, limitText: String(limit), name, header: `${name};q=${limit};w=${HOUR_SECONDS}` };
}

/** Whole seconds that are not shorter. */
export function secondsFor(ms: number): number {
  return Math.ceil(ms / 1_000);
}

/** Names and values in turn: a list costs least to join with the headers of a prepared answer. */
export function limitHeaders(
  { limitText, name, header }: Policy,
  remaining: number,
  freeAt: number,
  nowMs: number,
): string[] {
  return [
    'RateLimit-Policy',
    header,
    'RateLimit',
    `${name};r=${remaining};t=${secondsFor(freeAt - nowMs)}`,
    'X-RateLimit-Limit',
    limitText,
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(secondsFor(freeAt)),
  ];
}
