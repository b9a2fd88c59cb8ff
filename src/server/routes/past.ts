import type { AccountId } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { pastQuery } from '../../contract/params.ts';
import { InvalidRequest, readQuery } from '../../contract/validation/validate.ts';
import { areEventsKnown } from '../../views/active-events.ts';
import { agesOf, lateInputs } from '../../views/as-of.ts';
import { audienceOf } from '../../views/audience.ts';
import type { Past } from '../../views/past.ts';
import { closeAll, type RecordView, renderAll } from '../../views/record-view.ts';
import { countersView } from '../../views/records/counters.ts';
import { predictionView } from '../../views/records/prediction.ts';
import type { SlowEndpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { eventsUnknown } from '../events-unknown.ts';
import { createPastBodies } from '../past/past-bodies.ts';
import { notModified, streamAnswer, tagOf } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

interface PastDeps extends Pick<StreamDeps, 'accounts' | 'now' | 'staleAfterMs' | 'epoch'> {
  readonly past: Past;
}

/** /meta/{account} and /prediction/{account} with `as_of`: the answer as it was at that instant. */
export function pastEndpoints(deps: PastDeps): readonly SlowEndpoint[] {
  const { past, accounts, now, staleAfterMs, epoch } = deps;
  const bodies = createPastBodies();

  async function bodyOf(account: AccountId, view: RecordView, seq: number, at: number): Promise<string> {
    const latest = await past.of(account, seq, at);
    if (view.keys(latest).length === 0 && !areEventsKnown(latest, 'posts', at)) throw eventsUnknown();
    const ages = agesOf(latest, at, account);
    const records = renderAll(
      view,
      { latest, late: lateInputs(ages, staleAfterMs) },
      audienceOf(view.audiences, 'PRO'),
    );
    const texts = records.map((record) => record({ nowMs: at, tickAt: at }));
    return `{"timestamp":${at},"data":${closeAll(view, texts, ages)}}`;
  }

  const endpoint = (path: string, account: AccountId, view: RecordView): SlowEndpoint => ({
    method: 'GET',
    path,
    access: 'PRO',
    async answer({ query, ifNoneMatch }) {
      const { as_of: at } = readQuery(pastQuery, query);
      if (at === undefined) throw fault('Field required', 'missing');
      checkKept(at, past.fromAt(), now());
      const seq = past.seqAt(at);
      const etag = tagOf(seq, at, `${epoch}-past-${path.slice(API_PREFIX.length + 1)}`);
      if (namesTag(ifNoneMatch, etag)) return notModified(etag);
      const body = await bodies.of(etag, () => bodyOf(account, view, seq, at));
      return streamAnswer(etag, body, Buffer.byteLength(body));
    },
  });

  return accounts.flatMap((account) => [
    endpoint(`${API_PREFIX}/meta/${account.segment}`, account.id, countersView(account)),
    endpoint(`${API_PREFIX}/prediction/${account.segment}`, account.id, predictionView(account)),
  ]);
}

/** Refuses instants that are no longer stored, and the future. */
function checkKept(at: number, fromAt: number | null, nowMs: number): void {
  if (at > nowMs)
    throw fault(`Input should be less than or equal to ${nowMs}, the present`, 'less_than_equal');
  if (fromAt === null) throw fault('Value error, nothing is kept yet', 'value_error');
  if (at < fromAt) {
    throw fault(
      `Input should be greater than or equal to ${fromAt}, where what is kept begins`,
      'greater_than_equal',
    );
  }
}

function fault(msg: string, type: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'as_of'], msg, type }]);
}
