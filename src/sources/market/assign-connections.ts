/**
 * Divides ids among connections of at most `limit` each. An id keeps its place while it is wanted, since
 * moving it would cost a fresh book; new ones fill the gaps first.
 */
export function assignToConnections(
  previous: readonly ReadonlySet<string>[],
  wanted: ReadonlySet<string>,
  limit: number,
): readonly ReadonlySet<string>[] {
  const groups = previous.map((group) => new Set([...group].filter((id) => wanted.has(id))));
  const placed = new Set(groups.flatMap((group) => [...group]));
  for (const id of wanted) {
    if (placed.has(id)) continue;
    let group = groups.find(({ size }) => size < limit);
    if (group === undefined) {
      group = new Set();
      groups.push(group);
    }
    group.add(id);
  }
  return groups;
}
