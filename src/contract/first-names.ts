const MOST_NAMED = 20;

/** The names with commas between them; of more than `most` the first, and how many there are besides. */
export function firstNames(names: readonly string[], most = MOST_NAMED): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
