import { engineUnavailable } from '../../access/engine-unavailable.ts';
import type { Time } from '../../bus/time.ts';
import type { PaymentService } from '../../payments/payment-service.ts';
import type { KeptReply } from '../../store/store.ts';
import { orWorking, saidOf } from './known-commands.ts';
import type { Charge, Said } from './messages.ts';

/** The engine's side of paid calls that edges answer. */
interface Charges {
  /** Begins a charge, or goes on with one that is known. */
  charge(asked: Charge): Promise<Said<'charge'>>;
  /** The reply of a charge has left. */
  sent(id: string): void;
}

/** How long an edge may take to make an answer. */
const ANSWER_WITHIN_MS = 20_000;
const KEPT_MS = 60_000;

interface UnderWay {
  readonly outcome: Promise<Said<'charge'>>;
  /** Resolves when the answer that is bought is wanted. */
  readonly wanted: Promise<void>;
  give(reply: KeptReply | null): void;
  isGiven: boolean;
  sent: () => void;
  doneAt: number | undefined;
}

export function createCharges(payments: PaymentService, time: Time): Charges {
  const charges = new Map<string, UnderWay>();

  function start(asked: Charge): UnderWay {
    const { payment, path, resource, url, address } = asked;
    let give: (reply: KeptReply) => void = () => undefined;
    let leave: () => void = () => undefined;
    let want: () => void = () => undefined;
    const reply = new Promise<KeptReply>((resolve, reject) => {
      give = resolve;
      leave = () => reject(engineUnavailable());
    });
    // Nobody may ever want it.
    reply.catch(() => undefined);
    const wanted = new Promise<void>((resolve) => {
      want = resolve;
    });
    const paid = payments.charge({
      payment,
      path,
      resource,
      url,
      address,
      answer() {
        want();
        const waiting = new AbortController();
        void time.pause(ANSWER_WITHIN_MS, waiting.signal).then(() => leave());
        return reply.finally(() => waiting.abort());
      },
      // An edge whose caller has left gives no reply.
      isGone: () => false,
    });
    const each: UnderWay = {
      outcome: saidOf(
        paid.then(({ reply: bought, sent }) => {
          each.sent = sent;
          return bought;
        }),
      ),
      wanted,
      give(given) {
        if (each.isGiven) return;
        each.isGiven = true;
        if (given === null) leave();
        else give(given);
      },
      isGiven: false,
      sent: () => undefined,
      doneAt: undefined,
    };
    const done = () => {
      each.doneAt = time.mono();
    };
    each.outcome.then(done, done);
    return each;
  }

  function forgetOld(): void {
    for (const [id, { doneAt }] of charges) {
      if (doneAt === undefined || doneAt > time.mono() - KEPT_MS) return;
      charges.delete(id);
    }
  }

  return {
    async charge(asked) {
      const known = charges.get(asked.id);
      if (known === undefined) forgetOld();
      const each = known ?? start(asked);
      charges.set(asked.id, each);
      if (asked.reply !== undefined) each.give(asked.reply);
      if (each.isGiven) return orWorking(each.outcome, time);
      const wanted = each.wanted.then(() => ({ kind: 'wanted' }) as const);
      return orWorking(Promise.race([each.outcome, wanted]), time);
    },
    sent(id) {
      charges.get(id)?.sent();
    },
  };
}
