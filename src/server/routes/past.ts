import type { AccountId, Input } from '../../../streams/internal.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { pastQuery } from '../../contract/params.ts';
import { InvalidRequest, readQuery } from '../../contract/validation/validate.ts';
import { activeEvents } from '../../views/active-events.ts';
import { agesOf, closeRecords, lateInputs } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import type { Past } from '../../views/past.ts';
import type { SlowEndpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPastBodies } from '../past/past-bodies.ts';
import { notModified, streamAnswer, tagOf } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';
import { openCounters } from './meta.ts';
import { openPrediction, withTimeLeft } from './prediction.ts';

interface PastDeps extends Pick<StreamDeps, 'accounts' | 'now' | 'staleAfterMs' | 'epoch'> {
  readonly past: Past;
}

/** The open records of an account, of the latest values as they were. */
type RecordsOf = (
  latest: Latest,
  account: AccountId,
  at: number,
  late: readonly Input[],
) => readonly string[];

const counters: RecordsOf = (latest, account, _at, late) =>
  activeEvents(latest, account).map((event) => openCounters(latest, event, late));

const predictions: RecordsOf = (latest, account, at, late) =>
  activeEvents(latest, account).map((event) =>
    withTimeLeft(openPrediction(latest, event, account, 'PRO', late), event.record.endAt, at),
  );

/** What `as_of` makes of /meta/{account} and /prediction/{account}: the same answer as it was at that instant. */
export function pastEndpoints(deps: PastDeps): readonly SlowEndpoint[] {
  const { past, accounts, now, staleAfterMs, epoch } = deps;
  const bodies = createPastBodies();

  async function bodyOf(account: AccountId, recordsOf: RecordsOf, seq: number, at: number): Promise<string> {
    const latest = await past.of(account, seq, at);
    const ages = agesOf(latest, at, account);
    const records = recordsOf(latest, account, at, lateInputs(ages, staleAfterMs));
    return `{"timestamp":${at},"data":${closeRecords(records, ages)}}`;
  }

  const endpoint = (path: string, account: AccountId, recordsOf: RecordsOf): SlowEndpoint => ({
    method: 'GET',
    path,
    access: 'PRO',
    async answer({ query, ifNoneMatch }) {
      const { as_of: at } = readQuery(pastQuery, query);
      if (at === undefined) throw fault('Field required', 'missing');
      checkKept(at, past.fromAt(), now());
      const seq = past.seqAt(at);
      const etag = tagOf(seq, at, `${epoch}-past-${path.slice(API_PREFIX.length + 1)}`);
      if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return notModified(etag);
      const body = await bodies.of(etag, () => bodyOf(account, recordsOf, seq, at));
      return streamAnswer(etag, body, Buffer.byteLength(body));
    },
  });

  return accounts.flatMap(({ id, segment }) => [
    endpoint(`${API_PREFIX}/meta/${segment}`, id, counters),
    endpoint(`${API_PREFIX}/prediction/${segment}`, id, predictions),
  ]);
}

/** Refuses what is not kept any more and what has not happened yet. */
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
