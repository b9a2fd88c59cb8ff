/** A request to one role of the world; `path` holds the segments after the role's prefix, decoded. */
export interface WorldRequest {
  readonly method: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (request: WorldRequest) => Answer;

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** A whole number of a query, `fallback` when absent, undefined when it is not one. */
export function wholeNumber(query: URLSearchParams, name: string, fallback: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function jsonBody({ body }: WorldRequest): unknown {
  return parseJson(body);
}

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
