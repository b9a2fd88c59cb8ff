interface TaggedAnswer {
  readonly etag: string;
  readonly body: unknown;
}

/** Answers by URL with their ETags. Past `capacity` the least recently used answer is dropped. */
interface EtagCache {
  get(url: string): TaggedAnswer | undefined;
  set(url: string, answer: TaggedAnswer): void;
}

export function createEtagCache(capacity: number): EtagCache {
  // A Map iterates in the order of insertion, so the first key is the least recently used.
  const answers = new Map<string, TaggedAnswer>();
  function set(url: string, answer: TaggedAnswer): void {
    answers.delete(url);
    answers.set(url, answer);
    const [oldest] = answers.keys();
    if (answers.size > capacity && oldest !== undefined) answers.delete(oldest);
  }
  return {
    get(url) {
      const answer = answers.get(url);
      if (answer) set(url, answer);
      return answer;
    },
    set,
  };
}
