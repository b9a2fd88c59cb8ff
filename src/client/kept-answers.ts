export interface KeptAnswer {
  readonly etag: string;
  readonly body: unknown;
}

/** The last answers with their tags; of more than `capacity` the one not asked for the longest goes. */
export interface KeptAnswers {
  get(url: string): KeptAnswer | undefined;
  keep(url: string, answer: KeptAnswer): void;
}

export function createKeptAnswers(capacity: number): KeptAnswers {
  // A Map lists what was put in first first.
  const kept = new Map<string, KeptAnswer>();
  const put = (url: string, answer: KeptAnswer) => {
    kept.delete(url);
    kept.set(url, answer);
  };
  return {
    get(url) {
      const answer = kept.get(url);
      if (answer) put(url, answer);
      return answer;
    },
    keep(url, answer) {
      put(url, answer);
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) kept.delete(oldest);
    },
  };
}
