import type { z } from 'zod';
import {
  type AccountId,
  type Bettor,
  type Input,
  type Output,
  skipStale,
} from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { signalsQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { type ActiveEvent, activeEvents } from '../../views/active-events.ts';
import { agesOf, closeRecords, lateInputs, newest, openRecord } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import { type WinRates, winRates } from '../../views/performance/win-rates.ts';
import { signalsToWire } from '../../views/records/signals-fields.ts';
import { oncePerChange } from '../../views/watch.ts';
import type { Answer, Call, Endpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPrebuilt, notModified, streamAnswer, tagOf } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** Of a caller who does not say what he has, USD. */
export const DEFAULT_BANKROLL_USD = 1_000;

interface Wanted extends Bettor {
  readonly isOnlyWithSignals: boolean;
}

/** GET /signals/{account}: what to buy and sell of every active event (spec 4, endpoints 8 and 9). */
export function signalsEndpoints(deps: StreamDeps): readonly Endpoint[] {
  return deps.accounts.map((account) => signalsEndpoint(deps, account));
}

function signalsEndpoint(deps: StreamDeps, { id, segment }: AccountPath): Endpoint {
  const { latest, watcher, now, staleAfterMs, epoch } = deps;
  const watch = watcher.watch((output) => concerns(id, output));
  const rates = oncePerChange(watch, () => winRates(latest, id));
  const events = oncePerChange(watch, () => activeEvents(latest, id));
  const lateAt = (nowMs: number) => lateInputs(agesOf(latest, nowMs, id), staleAfterMs);

  const open = (wanted: Wanted, late: readonly Input[]) =>
    events().flatMap((event) => {
      const { isEmpty, text } = openSignals(latest, event, wanted, rates(), late);
      return wanted.isOnlyWithSignals && isEmpty ? [] : [text];
    });
  const dataOf = (records: readonly string[], nowMs: number) =>
    `"data":${closeRecords(records, agesOf(latest, nowMs, id))}`;
  const size = () => events().length;

  const usual = wantedOf({ only_with_signals: false, include_unproven: false });
  let late: readonly Input[] = [];
  let usualRecords = oncePerChange(watch, () => open(usual, late));
  const answerUsual = createPrebuilt({
    watch,
    variant: variantOf(epoch, segment, usual),
    now,
    size,
    build(nowMs) {
      const lateNow = lateAt(nowMs);
      if (lateNow.join() !== late.join()) {
        late = lateNow;
        usualRecords = oncePerChange(watch, () => open(usual, late));
      }
      return dataOf(usualRecords(), nowMs);
    },
    mark: (nowMs) => lateAt(nowMs).join('.'),
  });
  const answerWanted = (wanted: Wanted, { ifNoneMatch }: Call): Answer => {
    const nowMs = now();
    const lateNow = lateAt(nowMs);
    const variant = `${variantOf(epoch, segment, wanted)}-${lateNow.join('.')}`;
    const etag = tagOf(watch.seq, size(), variant);
    if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return notModified(etag);
    const body = `{"timestamp":${nowMs},${dataOf(open(wanted, lateNow), nowMs)}}`;
    return streamAnswer(etag, body, Buffer.byteLength(body));
  };

  return {
    path: `${API_PREFIX}/signals/${segment}`,
    access: 'PRO',
    answer(call) {
      const wanted = wantedOf(readQuery(signalsQuery, call.query));
      const isUsual = variantOf(epoch, segment, wanted) === variantOf(epoch, segment, usual);
      return isUsual ? answerUsual(call) : answerWanted(wanted, call);
    },
  };
}

/** The open record of one event, and whether there is nothing to do. */
export function openSignals(
  latest: Latest,
  event: ActiveEvent,
  bettor: Bettor,
  rates: WinRates,
  late: readonly Input[],
): { readonly isEmpty: boolean; readonly text: string } {
  const signals = latest.get('signals', event.key);
  const record = signals && skipStale(signals.record, late);
  const fields = signalsToWire(event.record, record, bettor, rates);
  return {
    isEmpty: fields.BUY.length === 0 && fields.SELL.length === 0,
    text: openRecord(fields, newest(event, signals)),
  };
}

function wantedOf(query: z.output<typeof signalsQuery>): Wanted {
  return {
    bankrollUsd: query.bankroll ?? DEFAULT_BANKROLL_USD,
    includesUnproven: query.include_unproven,
    isOnlyWithSignals: query.only_with_signals,
  };
}

function variantOf(epoch: string, segment: string, wanted: Wanted): string {
  const { bankrollUsd, includesUnproven, isOnlyWithSignals } = wanted;
  return `${epoch}-signals-${segment}-${bankrollUsd}-${Number(includesUnproven)}${Number(isOnlyWithSignals)}`;
}

function concerns(account: AccountId, output: Output): boolean {
  switch (output.stream) {
    // Any event, as one may leave the account it had.
    case 'events':
      return true;
    case 'signals':
    case 'scores':
      return output.record.account === account;
    default:
      return false;
  }
}
