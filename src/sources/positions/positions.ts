import * as z from 'zod';
import { SourceError } from '../../errors.ts';
import type { Endpoints } from '../endpoints.ts';
import { decodePayload, readPayload, refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import { orNothing, price, tokenId, wireText } from '../value-schemas.ts';
import type { HeldMarket, Position, Positions } from './position.ts';

const PAGE_SIZE = 100;
/** For a page. Somebody waits for it, but an answer that is late is better for him than none. */
const TIMEOUT_MS = 5_000;
/** The API pages over 10,000 rows and no further. */
const MAX_PAGES = 100;

const amount = z.number().nonnegative();
const heldPosition = z.object({
  proxyWallet: z.string(),
  asset: tokenId,
  oppositeAsset: orNothing(tokenId),
  conditionId: z.string().min(1),
  eventId: orNothing(
    z
      .union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()])
      .transform(Number)
      .pipe(z.number().max(Number.MAX_SAFE_INTEGER)),
  ),
  eventSlug: orNothing(z.string()),
  slug: z.string(),
  outcome: wireText,
  size: amount,
  avgPrice: price,
  initialValue: amount,
  curPrice: price,
  currentValue: amount,
  redeemable: z.boolean().nullish(),
  mergeable: z.boolean().nullish(),
});

const name = z.string().nullable().catch(null);
/** As much of a row as says which market it is in. It takes any value: a part that cannot be read is null. */
const heldMarket = z
  .object({ asset: name, conditionId: name, slug: name })
  .catch({ asset: null, conditionId: null, slug: null });

interface PositionsOptions extends Partial<Pick<SourceSettings, 'timeoutMs'>> {
  /** Counts the answers that were refused. */
  readonly refused?: (reason: string) => void;
  /** Whether a position in this market matters to anybody. */
  readonly isFollowed?: (market: HeldMarket) => boolean;
}

/**
 * Reads wallets' open positions from the market on demand, however small they are. A row that cannot be read is left
 * out when it is in a market that nobody follows. Otherwise the list is refused: without it the wallet would seem to
 * hold less than it does.
 */
export function createPositions(
  endpoints: Endpoints,
  { refused = () => {}, isFollowed = () => true, timeoutMs = TIMEOUT_MS }: PositionsOptions = {},
): Positions {
  function readRow(row: unknown) {
    const decoded = decodePayload(heldPosition, row);
    if ('value' in decoded) return [decoded.value];
    const { asset: token, conditionId, slug: marketSlug } = heldMarket.parse(row);
    const isNamed = token !== null || conditionId !== null || marketSlug !== null;
    if (isNamed && !isFollowed({ token, conditionId, marketSlug })) return [];
    return refuse(
      `a position in ${marketSlug ?? conditionId ?? token ?? 'no market'} has ${decoded.reason}`,
      {
        refused,
      },
    );
  }

  async function readPage(wallet: string, page: number) {
    const query = new URLSearchParams({
      user: wallet,
      sizeThreshold: '0',
      limit: String(PAGE_SIZE),
      offset: String(page * PAGE_SIZE),
    });
    const url = `${endpoints.positions.baseUrl}/positions?${query}`;
    const request = { headers: { 'user-agent': endpoints.userAgent }, timeoutMs };
    const sent = await readPayload(url, z.array(z.unknown()), request, { refused });
    const rows = sent.flatMap(readRow);
    if (rows.some(({ proxyWallet }) => proxyWallet.toLowerCase() !== wallet.toLowerCase())) {
      refuse('the market sent a position of another wallet', { refused });
    }
    return { rows, isLast: sent.length < PAGE_SIZE };
  }

  return {
    async of(wallet) {
      if (!/^0x[0-9a-fA-F]{40}$/.test(wallet)) throw new RangeError('not a wallet address');
      const positions = new Map<string, Position>();
      for (let page = 0; page < MAX_PAGES; page++) {
        const { rows, isLast } = await readPage(wallet, page);
        // A position that moves to another page meanwhile comes twice.
        for (const row of rows) positions.set(row.asset, toPosition(wallet, row));
        if (isLast) return [...positions.values()];
      }
      throw new SourceError('SOURCE_TOO_LARGE', `the wallet has over ${MAX_PAGES * PAGE_SIZE} positions`);
    },
  };
}

function toPosition(wallet: string, row: z.infer<typeof heldPosition>): Position {
  return {
    wallet,
    token: row.asset,
    oppositeToken: row.oppositeAsset,
    conditionId: row.conditionId,
    eventId: row.eventId,
    eventSlug: row.eventSlug,
    marketSlug: row.slug,
    outcome: row.outcome,
    size: row.size,
    avgPrice: row.avgPrice,
    costBasis: row.initialValue,
    currentPrice: row.curPrice,
    currentValue: row.currentValue,
    isRedeemable: row.redeemable === true,
    isMergeable: row.mergeable === true,
  };
}
