/** Returns the cached value for a key and equal posts, or computes it. */
type PostsCache<T> = (key: string, posts: Float64Array, compute: () => T) => T;

/** Keeps the newest `size` values. */
export function createPostsCache<T>(size: number): PostsCache<T> {
  const entries: { readonly key: string; readonly posts: Float64Array; readonly value: T }[] = [];
  return (key, posts, compute) => {
    const cached = entries.find((entry) => entry.key === key && areSame(entry.posts, posts));
    if (cached !== undefined) return cached.value;
    const value = compute();
    entries.unshift({ key, posts, value });
    entries.length = Math.min(entries.length, size);
    return value;
  };
}

function areSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  if (a.buffer === b.buffer && a.byteOffset === b.byteOffset) return true;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
