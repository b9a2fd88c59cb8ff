import { API_PREFIX } from '../../contract/api-prefix.ts';
import { pastQuery, signalsQuery, tweetsQuery } from '../../contract/params.ts';
import { InvalidRequest, readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { areEventsKnown } from '../../views/active-events.ts';
import { agesOf, closeRecords, lateInputs } from '../../views/as-of.ts';
import { type Audience, audienceOf } from '../../views/audience.ts';
import type { Past } from '../../views/past.ts';
import { closeAll, type RecordView, renderAll, streamsOf } from '../../views/record-view.ts';
import { countersView } from '../../views/records/counters.ts';
import { lagView } from '../../views/records/lag.ts';
import { postsView } from '../../views/records/posts.ts';
import { predictionView } from '../../views/records/prediction.ts';
import { signalsView } from '../../views/records/signals.ts';
import type { PlainEndpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPastBodies, type PastBodies } from '../past/past-bodies.ts';
import { notModified, streamAnswer } from '../prebuilt.ts';
import { tagOf } from '../tags.ts';
import type { StreamDeps } from './deps.ts';
import { signalsAudience } from './signals.ts';

interface PastDeps extends Pick<StreamDeps, 'accounts' | 'now'> {
  readonly epoch: string;
  readonly past: Past;
}

/** A request about an instant. */
interface Question {
  readonly as_of?: number | undefined;
  /** Tells the bodies of one path and instant apart. */
  readonly name: string;
  /** The body after its timestamp, without the closing brace. */
  fields(seq: number, at: number): Promise<string>;
}

/** Paths with `as_of`: the answer as it was at that instant. */
export function pastEndpoints(deps: PastDeps): readonly PlainEndpoint[] {
  const bodies = createPastBodies();
  return deps.accounts.flatMap((account) => endpointsOf(deps, bodies, account));
}

function endpointsOf(deps: PastDeps, bodies: PastBodies, account: AccountPath): readonly PlainEndpoint[] {
  const { past, now, epoch } = deps;
  const { id, segment, staleAfterMs } = account;
  const posts = postsView(account);
  const signals = signalsView(account);

  async function recordsOf(view: RecordView, audience: Audience, seq: number, at: number): Promise<string> {
    const latest = await past.of(id, seq, at, streamsOf(view));
    if (
      view.eventsAbout === 'posts' &&
      view.keys(latest).length === 0 &&
      !areEventsKnown(latest, 'posts', at)
    ) {
      throw fault('Value error, which events were active then is not known', 'value_error');
    }
    const ages = agesOf(latest, at, id);
    const records = renderAll(view, { latest, late: lateInputs(ages, staleAfterMs) }, audience);
    return `"data":${closeAll(view, records, { nowMs: at, tickAt: at }, ages)}`;
  }

  const endpoint = (
    path: string,
    ask: (query: string) => Question,
    { isCounted = true } = {},
  ): PlainEndpoint => ({
    method: 'GET',
    path: API_PREFIX + path,
    access: 'PRO',
    isCounted,
    async answer({ query, ifNoneMatch }) {
      const { as_of: at, name, fields } = ask(query);
      if (at === undefined) throw fault('Field required', 'missing');
      checkKept(at, past.fromAt(), now());
      const seq = past.seqAt(at);
      const etag = tagOf(seq, at, `${epoch}-past-${path.slice(1)}${name}`);
      if (namesTag(ifNoneMatch, etag)) return notModified(etag);
      const body = await bodies.of(etag, async () => `{"timestamp":${at},${await fields(seq, at)}}`);
      return streamAnswer(etag, body, Buffer.byteLength(body));
    },
  });

  const ofView = (view: RecordView) => (query: string) => ({
    ...readQuery(pastQuery, query),
    name: '',
    fields: (seq: number, at: number) => recordsOf(view, audienceOf(view.audiences, 'PRO'), seq, at),
  });

  return [
    endpoint(`/meta/${segment}`, ofView(countersView(account))),
    endpoint(`/prediction/${segment}`, ofView(predictionView(account))),
    endpoint(`/meta/${segment}/lag`, ofView(lagView(account)), { isCounted: false }),
    endpoint(`/signals/${segment}`, (query) => {
      const asked = readQuery(signalsQuery, query);
      const audience = signalsAudience(asked);
      return {
        as_of: asked.as_of,
        name: `-${audience.name.replaceAll(' ', '-')}`,
        fields: (seq, at) => recordsOf(signals, audience, seq, at),
      };
    }),
    endpoint(`/meta/${segment}/tweets`, (query) => {
      const { limit, offset, as_of } = readQuery(tweetsQuery, query);
      return {
        as_of,
        name: `-${limit}-${offset}`,
        async fields(seq, at) {
          const page = await past.posts(id, seq, at, { offset, limit });
          const texts = page.map((post) => posts.renderPost(post, 'PRO'));
          const { shared } = agesOf(await past.of(id, seq, at, []), at, id);
          return `"limit":${limit},"offset":${offset},"data":${closeRecords(texts, () => shared)}`;
        },
      };
    }),
  ];
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
