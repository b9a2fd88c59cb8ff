import * as z from 'zod';
import { RequestError } from '../../src/errors.ts';
import { openPaymentService } from '../../src/payments/payment-service.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { KeptPayment } from '../../src/store/store.ts';
import { sendToParent } from '../support/child.ts';
import { SIGNALS, TERMS } from '../support/payment-terms.ts';

// Charges the payments that the parent sends, with the store in a folder, and kills itself at a given state.
const [folder = '', url = '', startOffsetMs = '0'] = process.argv.slice(2);
const commandSchema = z.object({ payment: z.string(), dieAt: z.string(), offsetMs: z.number() });

let dieAt = '';
/** The nonce of the payment that was sent last. Others that are open may change their state beside it. */
let nonce = '';
const isThis = ({ id }: Pick<KeptPayment, 'id'>) => nonce !== '' && id.endsWith(nonce);
/** The parent's clocks are ahead of the real ones, more and more. */
let offsetMs = Number(startOffsetMs);
const die = () => process.kill(process.pid, 'SIGKILL');
const store = await openStore(folder);
const service = await openPaymentService({
  terms: TERMS,
  facilitator: { url },
  payments: {
    ...store.payments,
    async reserve(payment) {
      const isTaken = await store.payments.reserve(payment);
      if (dieAt === 'RESERVED' && isThis(payment)) die();
      return isTaken;
    },
    async put(payment: KeptPayment) {
      if (dieAt === `before ${payment.state}` && isThis(payment)) die();
      await store.payments.put(payment);
      if (dieAt === payment.state && isThis(payment)) die();
    },
  },
  now: () => Date.now() + offsetMs,
  agreedNow: () => Date.now() + offsetMs,
  mono: () => performance.now() + offsetMs,
  report: () => undefined,
  everyMs: 20,
});

let served = 0;
async function answerTo(payment: string): Promise<string> {
  try {
    const { reply, sent } = await service.charge({
      payment,
      path: SIGNALS,
      resource: SIGNALS,
      url: `http://localhost${SIGNALS}`,
      address: '127.0.0.1',
      answer: async () => ({ status: 200, headers: {}, body: `answer ${process.pid} ${++served}` }),
      isGone: () => false,
    });
    sent();
    return `${reply.status} ${reply.body} ${reply.headers['PAYMENT-RESPONSE']}`;
  } catch (error) {
    if (error instanceof RequestError) return `${error.status} ${error.code}`;
    throw error;
  }
}

/** Ids end with it, in lower case. */
function nonceIn(header: string): string {
  const text = Buffer.from(header, 'base64').toString();
  return /"nonce":"(0x[0-9a-f]{64})"/i.exec(text)?.[1]?.toLowerCase() ?? '';
}

process.on('message', async (message) => {
  const command = commandSchema.parse(message);
  ({ dieAt, offsetMs } = command);
  nonce = nonceIn(command.payment);
  sendToParent({ answer: await answerTo(command.payment) });
});
sendToParent({ isReady: true });
