import { checkAnswer } from '../support/answer-check.ts';
import { checkFrame } from '../support/frame-check.ts';
import type { Answer } from './askers.ts';
import { parsedJson } from './parsed-json.ts';
import type { Violations } from './violations.ts';

/** What only PRO sees of any record. */
const PAID_NAMES: ReadonlySet<string> = new Set([
  'forecast',
  'settlement',
  'sleep_probability',
  'velocity_counted_1h',
  'velocity_all_1h',
  'model_version',
  'forecast_id',
  'forecast_ts',
  'distribution',
  'flip_risk',
  'moved',
  'model_prob',
  'edge',
  'signal',
  'kelly_fraction',
  'suggested_bet',
]);
/** What is there for everybody, but has no value for others than PRO. */
const EMPTY_NAMES: ReadonlySet<string> = new Set(['is_counted', 'oracle_ts']);

/** The first name in a value that only PRO may see. */
function paidNameIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (PAID_NAMES.has(name) || (EMPTY_NAMES.has(name) && inner !== null)) return name;
    const found = paidNameIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface PublicContent {
  onAnswer(answer: Answer): void;
  /** `isFree` says whether it is sent to somebody who may not see what PRO does. */
  onFrame(text: string, isFree: boolean): void;
}

/** Everything is as the documents say, and shows nobody what is not for them. */
export function createPublicContent({ check }: Pick<Violations, 'check'>): PublicContent {
  function checkAs(name: string, documented: () => void): void {
    let fault: unknown;
    try {
      documented();
    } catch (error) {
      fault = error;
    }
    check(17, fault === undefined, () => `${name}: ${fault instanceof Error ? fault.message : fault}`);
  }

  function checkFree(name: string, text: string): void {
    const paid = paidNameIn(parsedJson(text));
    check(17, paid === undefined, () => `${name} shows ${paid} to FREE`);
  }

  return {
    onAnswer({ path, tier, status, headers, body }) {
      checkAs(path, () => checkAnswer({ method: 'GET', path }, { status, headers, body }));
      if (tier === 'FREE' && status === 200) checkFree(path, body);
    },
    onFrame(text, isFree) {
      checkAs('a frame', () => checkFrame(text, parsedJson(text)));
      if (isFree) checkFree('a frame', text);
    },
  };
}
