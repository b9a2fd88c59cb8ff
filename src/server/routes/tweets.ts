import { includes, type Tier } from '../../access/tiers.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { tweetsQuery } from '../../contract/params.ts';
import { readQuery } from '../../contract/validation/validate.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { agesOf, closeRecords, openRecord } from '../../views/as-of.ts';
import type { OutputOf } from '../../views/latest.ts';
import { postToWire } from '../../views/records/post-fields.ts';
import type { Answer, Call, Endpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPrebuilt, notModified, streamAnswer, tagOf } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** What a FREE caller always gets, and a PRO caller who asks for nothing else. */
const FIRST_PAGE: Page = readQuery(tweetsQuery, '');

/** GET /meta/{account}/tweets: the account's posts, newest first (spec 4, endpoints 4 and 5). */
export function tweetsEndpoints(deps: StreamDeps): readonly Endpoint[] {
  return deps.accounts.map((account) => tweetsEndpoint(deps, account));
}

function tweetsEndpoint(deps: StreamDeps, { id, segment }: AccountPath): Endpoint {
  const { latest, watcher, now, epoch } = deps;
  const watch = watcher.watch((output) => output.stream === 'posts' && output.record.account === id);
  const size = () => latest.posts(id).length;
  const free = openPosts('FREE');
  const paid = openPosts('PRO');

  const envelope = (
    { limit, offset }: Page,
    openPost: (post: OutputOf<'posts'>) => string,
    nowMs: number,
  ) => {
    const posts = latest
      .posts(id)
      .slice(offset, offset + limit)
      .map(openPost);
    return `"limit":${limit},"offset":${offset},"data":${closeRecords(posts, agesOf(latest, nowMs, id))}`;
  };
  const variantOf = (tier: Tier, { limit, offset }: Page) =>
    `${epoch}-tweets-${segment}-${tier}-${limit}-${offset}`;
  const firstPage = (tier: Tier, openPost: (post: OutputOf<'posts'>) => string) =>
    createPrebuilt({
      watch,
      variant: variantOf(tier, FIRST_PAGE),
      now,
      size,
      build: (nowMs) => envelope(FIRST_PAGE, openPost, nowMs),
    });
  const answerFree = firstPage('FREE', free);
  const answerFirst = firstPage('PRO', paid);
  const answerPage = (page: Page, { ifNoneMatch }: Call): Answer => {
    const etag = tagOf(watch.seq, size(), variantOf('PRO', page));
    if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) return notModified(etag);
    const nowMs = now();
    const body = `{"timestamp":${nowMs},${envelope(page, paid, nowMs)}}`;
    return streamAnswer(etag, body, Buffer.byteLength(body));
  };

  return {
    path: `${API_PREFIX}/meta/${segment}/tweets`,
    access: 'tiered',
    answer(call, tier) {
      const page = readQuery(tweetsQuery, call.query);
      if (!includes(tier, 'PRO')) return answerFree(call);
      return isFirst(page) ? answerFirst(call) : answerPage(page, call);
    },
  };
}

function isFirst({ limit, offset }: Page): boolean {
  return limit === FIRST_PAGE.limit && offset === FIRST_PAGE.offset;
}

// A post's text is made once per output: a changed post is another output, and the old text goes with the old one.
function openPosts(tier: Tier): (post: OutputOf<'posts'>) => string {
  const made = new WeakMap<OutputOf<'posts'>, string>();
  return (post) => {
    let text = made.get(post);
    if (text === undefined) {
      text = openRecord(postToWire(post.record, tier), post);
      made.set(post, text);
    }
    return text;
  };
}
