/** Upper bounds in seconds. Answers from memory take microseconds, answers that ask the market take seconds. */
const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

const NAME = 'tallywire_http_request_duration_seconds';

interface Row {
  /** Requests up to each bound and above the previous one; the last count is for all above. */
  readonly counts: number[];
  sumSeconds: number;
}

/** How long requests took, by route and status. */
interface HttpDurations {
  observe(route: string, status: number, ms: number): void;
  text(): string;
}

/**
 * A histogram in the Prometheus text format. That of the library takes about a microsecond per call to look up labels,
 * which is much of the time of a ready answer.
 */
export function createHttpDurations(): HttpDurations {
  const routes = new Map<string, Map<number, Row>>();
  return {
    observe(route, status, ms) {
      const seconds = ms / 1_000;
      const row = rowOf(routes, route, status);
      let index = 0;
      while (index < BOUNDS.length && seconds > (BOUNDS[index] ?? Infinity)) index += 1;
      row.counts[index] = (row.counts[index] ?? 0) + 1;
      row.sumSeconds += seconds;
    },
    text() {
      const lines = [
        `# HELP ${NAME} Time from the parsed head of a request to its answer, by route and status`,
        `# TYPE ${NAME} histogram`,
      ];
      for (const [route, rows] of routes) {
        for (const [status, row] of rows) lines.push(...linesOf(`route="${route}",status="${status}"`, row));
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

function rowOf(routes: Map<string, Map<number, Row>>, route: string, status: number): Row {
  let rows = routes.get(route);
  if (rows === undefined) {
    rows = new Map();
    routes.set(route, rows);
  }
  let row = rows.get(status);
  if (row === undefined) {
    row = { counts: new Array<number>(BOUNDS.length + 1).fill(0), sumSeconds: 0 };
    rows.set(status, row);
  }
  return row;
}

function linesOf(labels: string, { counts, sumSeconds }: Row): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${NAME}_bucket{${labels},le="${BOUNDS[index] ?? '+Inf'}"} ${total}`;
  });
  return [...buckets, `${NAME}_sum{${labels}} ${sumSeconds}`, `${NAME}_count{${labels}} ${total}`];
}
