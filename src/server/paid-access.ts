import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { clientAddressOf, type Proxies } from '../access/client-address.ts';
import type { Tier } from '../access/tiers.ts';
import { paymentIn } from '../payments/authorization.ts';
import type { Offer } from '../payments/offer.ts';
import { canPayInstead, requestUrlOf } from '../payments/payable.ts';
import type { PaymentService } from '../payments/payment-service.ts';
import { type Answer, type Call, callOf, type Door, serve } from './answer.ts';

export { isForSale, needsNoPayment } from '../payments/payable.ts';

/** Payments for single calls, and the proxies whose word on the addresses of payers is taken. */
export interface PaidAccess {
  readonly payments: PaymentService;
  readonly proxies: Proxies;
}

/** The answer of tier PRO, once it is paid for. A payment neither uses up nor extends the caller's hour. */
export async function servePaid(
  ctx: Context,
  { payments, proxies }: PaidAccess,
  { path }: Door,
  answer: (call: Call, tier: Tier) => Answer | Promise<Answer>,
): Promise<void> {
  const { req, res } = ctx;
  const { reply, sent } = await payments.charge({
    payment: paymentIn(req.headers),
    path,
    resource: req.url ?? path,
    url: requestUrlOf(req.headers, path),
    address: clientAddressOf(req, proxies),
    // Whoever pays gets the whole answer, also when they have it already.
    answer: async () => answer({ ...callOf(req, null), ifNoneMatch: undefined }, 'PRO'),
    isGone: () => res.closed || req.socket.destroyed,
  });
  res.once('finish', sent);
  serve(ctx, reply);
}

/** How to pay instead, where that would help. */
export function offerAfter(
  error: unknown,
  { access, path }: Door,
  req: IncomingMessage,
  payments: PaymentService | undefined,
): Offer | undefined {
  if (payments === undefined || !canPayInstead(error, access)) return undefined;
  return payments.offer(path, requestUrlOf(req.headers, path));
}
