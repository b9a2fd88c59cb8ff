import type { IncomingMessage } from 'node:http';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
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

/** The offer to pay for the call, when a payment would help. */
export function offerAfter(
  error: unknown,
  { access, path }: Route,
  req: IncomingMessage,
  payments: PaymentService | undefined,
): Offer | undefined {
  if (payments === undefined || !canPayInstead(error, access)) return undefined;
  return payments.offer(path, requestUrlOf(req.headers, path));
}
