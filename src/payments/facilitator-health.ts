/** Unanswered payments in a row before the facilitator itself is asked whether it is there. */
const MAX_UNANSWERED = 5;
const CHECK_EVERY_MS = 30_000;

/** Whether the facilitator as a whole is down. */
export interface FacilitatorHealth {
  isDown(): boolean;
  /** It answered about some payment, be it with a refusal. */
  answered(): void;
  /** It gave no clear answer about this payment. */
  unanswered(paymentId: string): void;
  /** Asks the facilitator when there is reason to. To be called often. */
  check(): Promise<void>;
}

/**
 * Payments alone never make it count as down, as a payment can be made such that the facilitator fails on it. Several
 * of them in a row only are the reason to ask it something else. `mono` in ms, never goes back.
 */
export function createFacilitatorHealth(
  isAnswering: () => Promise<boolean>,
  mono: () => number,
): FacilitatorHealth {
  const unanswered = new Set<string>();
  let isDown = false;
  let nextCheckAt = Number.NEGATIVE_INFINITY;
  return {
    isDown: () => isDown,
    answered() {
      unanswered.clear();
      isDown = false;
    },
    unanswered(paymentId) {
      if (unanswered.size < MAX_UNANSWERED) unanswered.add(paymentId);
    },
    async check() {
      if ((!isDown && unanswered.size < MAX_UNANSWERED) || mono() < nextCheckAt) return;
      nextCheckAt = mono() + CHECK_EVERY_MS;
      unanswered.clear();
      isDown = !(await isAnswering());
    },
  };
}
