import { includes, type Tier } from '../../access/tiers.ts';
import { tweetsQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { agesOf, closeRecords } from '../../views/as-of.ts';
import { isMoved } from '../../views/record-view.ts';
import { postsView } from '../../views/records/posts.ts';
import type { Answer, Call, Endpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPrebuilt, notModified, streamAnswer } from '../prebuilt.ts';
import { accountRoute } from './account-route.ts';
import type { StreamDeps } from './deps.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The only page for FREE, and the default page for PRO. */
const FIRST_PAGE: Page = readQuery(tweetsQuery, '');

/** GET /meta/{account}/tweets: the account's posts, newest first (spec 4, endpoints 4 and 5). */
export function tweetsEndpoint(deps: StreamDeps, account: AccountPath): Endpoint {
  const { latest, watcher, now, tagOf } = deps;
  const view = postsView(account);
  const watch = watcher.watch((output) => isMoved(view, output, latest, 'PRO'), account.id);
  const size = () => view.posts(latest).length;
  const nameOf = (tier: Tier, { limit, offset }: Page) =>
    `tweets-${account.segment}-${tier}-${limit}-${offset}`;
  const textsOf = ({ limit, offset }: Page, tier: Tier) =>
    view
      .posts(latest)
      .slice(offset, offset + limit)
      .map((post) => view.renderPost(post, tier));

  function fieldsOf(page: Page, tier: Tier, nowMs: number): string {
    const { limit, offset } = page;
    const { shared } = agesOf(latest, nowMs, account.id);
    return `"limit":${limit},"offset":${offset},"data":${closeRecords(textsOf(page, tier), () => shared)}`;
  }

  const firstPage = (tier: Tier) =>
    createPrebuilt({
      watch,
      name: nameOf(tier, FIRST_PAGE),
      tagOf,
      now,
      size,
      content: () => textsOf(FIRST_PAGE, tier).join(),
      build: (nowMs) => fieldsOf(FIRST_PAGE, tier, nowMs),
    });
  const answerFree = firstPage('FREE');
  const answerFirst = firstPage('PRO');

  function answerPage(page: Page, { ifNoneMatch }: Call): Answer {
    const content = () => textsOf(page, 'PRO').join();
    const etag = tagOf({ watch, name: nameOf('PRO', page), size, content });
    if (namesTag(ifNoneMatch, etag)) return notModified(etag);
    const nowMs = now();
    const body = `{"timestamp":${nowMs},${fieldsOf(page, 'PRO', nowMs)}}`;
    return streamAnswer(etag, body, Buffer.byteLength(body));
  }

  return {
    ...accountRoute('/meta/{account}/tweets', account),
    access: 'tiered',
    answer(call, tier) {
      const page = readQuery(tweetsQuery, call.query);
      if (!includes(tier, 'PRO')) return answerFree(call);
      const isFirst = page.limit === FIRST_PAGE.limit && page.offset === FIRST_PAGE.offset;
      return isFirst ? answerFirst(call) : answerPage(page, call);
    },
  };
}
