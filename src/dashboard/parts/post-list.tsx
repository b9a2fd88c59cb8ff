import { agoText, clockText } from '../format.ts';
import { kindOf } from '../state/posts.ts';
import type { Post } from '../state/records.ts';
import { Empty, Loading } from './panel.tsx';

const SHOWN = 11;

function CountsTag({ post }: { readonly post: Post }) {
  if (post.is_counted === null) return <span class="tag quiet">PRO</span>;
  return post.is_counted ? <span class="tag good">counts</span> : <span class="tag quiet">not counted</span>;
}

/** The newest posts with their kind and whether they count. */
export function PostList(props: {
  readonly posts: readonly Post[] | undefined;
  readonly fresh: ReadonlySet<string>;
  readonly now: number;
}) {
  if (props.posts === undefined) return <Loading what="posts" />;
  if (props.posts.length === 0)
    return <Empty title="No posts yet">They appear here the moment they are seen.</Empty>;
  return (
    <ol class="posts" aria-label="Newest posts">
      {props.posts.slice(0, SHOWN).map((post) => (
        <li
          key={post.tweet_id}
          data-post={post.tweet_id}
          class={`${props.fresh.has(post.tweet_id) ? 'fresh' : ''} ${post.deleted_ts === null ? '' : 'gone'}`}
        >
          <time
            class="num"
            dateTime={new Date(post.created_ts).toISOString()}
            title={agoText(props.now - post.created_ts)}
          >
            {clockText(post.created_ts)}
          </time>
          <span class="kind">{kindOf(post)}</span>
          <span class="text">{post.text}</span>
          {post.deleted_ts === null ? <CountsTag post={post} /> : <span class="tag bad">deleted</span>}
        </li>
      ))}
    </ol>
  );
}
