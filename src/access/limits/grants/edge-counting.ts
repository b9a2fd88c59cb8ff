import { engineUnavailable } from '../../engine-unavailable.ts';
import type { Counting } from '../counting.ts';
import type { Admitted, Verdict } from './caller-share.ts';
import type { EdgeGrants } from './edge-grants.ts';

/** One call at an edge. */
interface EdgeCall {
  readonly caller: string;
  /** Set once it is let in. */
  admitted: Admitted | undefined;
}

/** The counting of an edge, by what the engine grants it. `mono` is the clock that the grants live by, ms. */
export function edgeCounting(grants: EdgeGrants, mono: () => number): Counting<EdgeCall> {
  function isAdmitted(call: EdgeCall, verdict: Verdict): boolean {
    switch (verdict.kind) {
      case 'admitted':
        call.admitted = verdict;
        return true;
      case 'refused':
        return false;
      default:
        throw engineUnavailable();
    }
  }

  return {
    ofKey: (id) => ({ caller: `k:${id}`, admitted: undefined }),
    ofAddress: (address) => ({ caller: `a:${address}`, admitted: undefined }),
    charge(call, _now, limit) {
      let decide: (verdict: Verdict) => void = () => undefined;
      const verdict = grants.take({ caller: call.caller, limit }, mono(), (later) => decide(later));
      if (verdict !== 'waiting') return isAdmitted(call, verdict);
      return new Promise<Verdict>((resolve) => {
        decide = resolve;
      }).then((later) => isAdmitted(call, later));
    },
    refund(call) {
      if (call.admitted !== undefined) grants.refund(call.admitted, mono());
    },
    remaining: ({ caller }, limit) => grants.standing({ caller, limit }, mono()).remaining,
    freeAt: ({ caller }, limit, now) => now + Math.ceil(grants.standing({ caller, limit }, mono()).freeInMs),
  };
}
