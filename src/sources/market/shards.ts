/**
 * Divides ids among connections of at most `limit` each. An id keeps its place while it is wanted, since
 * moving it would cost a fresh book; new ones fill the gaps first.
 */
export function assignShards(
  previous: readonly ReadonlySet<string>[],
  wanted: ReadonlySet<string>,
  limit: number,
): readonly ReadonlySet<string>[] {
  const shards = previous.map((shard) => new Set([...shard].filter((id) => wanted.has(id))));
  const placed = new Set(shards.flatMap((shard) => [...shard]));
  for (const id of wanted) {
    if (placed.has(id)) continue;
    let shard = shards.find(({ size }) => size < limit);
    if (shard === undefined) {
      shard = new Set();
      shards.push(shard);
    }
    shard.add(id);
  }
  return shards;
}
