import { clockText } from '../format.ts';
import { isFresh, kindOf } from '../state/posts.ts';
import type { Post } from '../state/records.ts';
import { memo } from './memo.tsx';
import { Empty, Loading } from './panel.tsx';

const SHOWN = 11;

function CountsTag({ post }: { readonly post: Post }) {
  if (post.deleted_ts !== null) return <span class="tag bad">deleted</span>;
  if (post.is_counted === null) return <span class="tag quiet">PRO</span>;
  return post.is_counted ? <span class="tag good">counts</span> : <span class="tag quiet">not counted</span>;
}

const Row = memo(({ post, isNew }: { readonly post: Post; readonly isNew: boolean }) => (
  <li data-post={post.tweet_id} class={`${isNew ? 'fresh' : ''} ${post.deleted_ts === null ? '' : 'gone'}`}>
    <time class="num" dateTime={new Date(post.created_ts).toISOString()}>
      {clockText(post.created_ts)}
    </time>
    <span class="kind">{kindOf(post)}</span>
    <span class="text">{post.text}</span>
    <CountsTag post={post} />
  </li>
));

/** The newest posts, each with its kind and whether it counts. */
export function PostList({
  posts,
  now,
}: {
  readonly posts: readonly Post[] | undefined;
  readonly now: number;
}) {
  if (posts === undefined) return <Loading what="posts" />;
  if (posts.length === 0)
    return <Empty title="No posts yet">They appear here the moment they are seen.</Empty>;
  return (
    <ol class="posts" aria-label="Newest posts">
      {posts.slice(0, SHOWN).map((post) => (
        <Row key={post.tweet_id} post={post} isNew={isFresh(post, now)} />
      ))}
    </ol>
  );
}
