import type { IncomingMessage } from 'node:http';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
import { includes, type Tier } from '../access/tiers.ts';
import { paymentIn } from '../payments/authorization.ts';
import type { Offer } from '../payments/offer.ts';
import { canPayInstead, requestUrlOf } from '../payments/payable.ts';
import type { PaymentService } from '../payments/payment-service.ts';
import {
  type Answer,
  callOf,
  type Endpoint,
  type RequestContext,
  type Route,
  type SlowEndpoint,
} from './answer.ts';

export { isForSale } from '../payments/payable.ts';

export interface PaidAccess {
  readonly payments: PaymentService;
  readonly proxies: Proxies;
}

/** The answer of tier PRO, once it is paid for. A paid call does not count towards the hourly limit. */
export async function sellAnswer(
  { payments, proxies }: PaidAccess,
  endpoint: Endpoint | SlowEndpoint,
  ctx: RequestContext,
): Promise<Answer> {
  const { req, res } = ctx;
  const { path } = endpoint;
  const { reply, sent } = await payments.charge({
    payment: paymentIn(req.headers),
    path,
    resource: req.url ?? path,
    url: requestUrlOf(req.headers, path),
    address: clientAddressOf(req, proxies),
    // A paid answer is always whole, never a 304.
    answer: async () => endpoint.answer({ ...callOf(req, null), ifNoneMatch: undefined }, 'PRO', ctx),
    isGone: () => res.closed || req.socket.destroyed,
  });
  res.once('finish', sent);
  return reply;
}

const NO_HEADERS: readonly string[] = [];

/** The header, name and value, that offers what PRO sees of an answer that shows less to this caller. */
export function offerBeside(
  { access, path }: Route,
  req: IncomingMessage,
  tier: Tier,
  payments: PaymentService | undefined,
): readonly string[] {
  if (payments === undefined || access !== 'tiered' || includes(tier, 'PRO')) return NO_HEADERS;
  const offer = payments.offer(path, requestUrlOf(req.headers, path));
  return offer === undefined ? NO_HEADERS : Object.entries(offer.headers).flat();
}

/** The offer to pay for the call, when a payment would help. */
export function offerAfter(
  error: unknown,
  route: Route,
  req: IncomingMessage,
  payments: PaymentService | undefined,
): Offer | undefined {
  if (payments === undefined || !canPayInstead(error, route)) return undefined;
  const { path } = route;
  return payments.offer(path, requestUrlOf(req.headers, path));
}
