import type { Violations } from './violations.ts';

interface Request {
  /** Whether all of its answer is there. */
  readonly isOver: boolean;
  /** Told what the world answers, piece by piece. */
  onAnswer(bytes: Buffer): void;
  /** Told that its connection is no longer open. */
  onEnd(): void;
}

interface Asker {
  /** Of an engine. */
  readonly life: string;
  /** Undefined for what no source asks for. */
  readonly source: string | undefined;
}

interface SourceRequests {
  /** Told the first bytes of a request that an engine sends over a connection with the world. */
  begin(asker: Asker, bytes: Buffer): Request;
}

const REQUEST_LINE = /^[A-Z]+ (\S+) HTTP/;
const HEAD_END = '\r\n\r\n';
const STATUS = /^HTTP\/1\.1 (\d{3})/;
/** Look-ups of posts by id: by the deletions and by the archive of each of two accounts. */
const LOOK_UPS = '/posts-api/2/tweets';
const MOST_LOOK_UPS = 4;
/** Pages of events: one source reads the count on them, and another finds out there what became of an event not listed. */
const EVENT_PAGES = '/market/events/slug/';
const MOST_OF_A_PAGE = 2;
/** Of one host, from one engine. */
const MOST_AT_ONCE = 16;
/** Positions are read when somebody asks for them. */
const ON_DEMAND = '/positions-api';
/** A host may ask for more by mistake; nobody waits longer. */
const LONGEST_HOLD_MS = 60_000;
const ASKING_TO_WAIT: ReadonlySet<number> = new Set([418, 429, 503]);

/** Those who are told to wait together: a host, of the posts API timelines and look-ups apart. */
function hostOf(path: string): string {
  const [, host = ''] = path.split('/');
  return host === 'posts-api' && path.startsWith(LOOK_UPS) ? LOOK_UPS : host;
}

/** How many sources ask for this, each for itself and for one thing at a time. */
function mostAtOnce(path: string): number {
  if (path === LOOK_UPS) return MOST_LOOK_UPS;
  return path.startsWith(EVENT_PAGES) ? MOST_OF_A_PAGE : 1;
}

function headerIn(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: *(.*?) *\\r?$`, 'im').exec(head)?.[1];
}

/** How long an answer asks to wait, in ms; undefined where it does not say so in a form that means anything. */
function waitIn(head: string): number | undefined {
  const asked = headerIn(head, 'retry-after');
  if (asked === undefined) return undefined;
  if (/^\d{1,10}$/.test(asked)) return Number(asked) * 1_000;
  const [until, sent] = [Date.parse(asked), Date.parse(headerIn(head, 'date') ?? '')];
  const isDate = / GMT$/.test(asked) && !Number.isNaN(until) && !Number.isNaN(sent);
  return isDate ? Math.max(0, until - sent) : undefined;
}

/** The requests of an engine: one at a time for each thing, few at a time for each host, and none before its Retry-After. */
export function createSourceRequests({
  now,
  violations: { check },
}: {
  readonly now: () => number;
  readonly violations: Pick<Violations, 'check'>;
}): SourceRequests {
  const underWay = new Map<string, number>();
  const heldUntil = new Map<string, number>();
  function add(name: string, by: number): void {
    const left = (underWay.get(name) ?? 0) + by;
    if (left === 0) underWay.delete(name);
    else underWay.set(name, left);
  }

  return {
    begin({ life, source }, bytes) {
      const [, target = '/'] = REQUEST_LINE.exec(bytes.toString('latin1')) ?? [];
      const [path = ''] = target.split('?');
      const host = `${life} host ${hostOf(path)}`;
      const thing = `${life} ${path}`;
      const isPolled = !path.startsWith(ON_DEMAND) && !bytes.includes('Upgrade: websocket');
      const own = `${life} ${source} ${path}`;
      const names = isPolled ? [host, thing, own] : [];
      for (const name of names) add(name, 1);
      if (isPolled) {
        const most = mostAtOnce(path);
        check(18, (underWay.get(own) ?? 0) <= 1, () => `${underWay.get(own)} requests of ${own} at a time`);
        check(
          18,
          (underWay.get(thing) ?? 0) <= most,
          () => `${underWay.get(thing)} requests for ${thing} at a time`,
        );
        check(
          18,
          (underWay.get(host) ?? 0) <= MOST_AT_ONCE,
          () => `${underWay.get(host)} requests to ${host} at a time`,
        );
        const until = heldUntil.get(host) ?? 0;
        check(
          18,
          now() >= until,
          () => `${target} is asked ${Math.round(until - now())} ms before ${host} allows it`,
        );
      }
      const end = () => {
        for (const name of names.splice(0)) add(name, -1);
      };
      let head = '';
      /** How much of the body is to come; undefined before the head was read. */
      let left: number | undefined;

      function onHead(text: string): void {
        const status = Number(STATUS.exec(text)?.[1]);
        const waitMs = ASKING_TO_WAIT.has(status) ? waitIn(text) : undefined;
        if (waitMs === undefined) return;
        const until = now() + Math.min(LONGEST_HOLD_MS, waitMs);
        heldUntil.set(host, Math.max(until, heldUntil.get(host) ?? 0));
      }

      return {
        get isOver() {
          return left !== undefined && left <= 0;
        },
        onAnswer(part) {
          if (left === undefined) {
            head += part.toString('latin1');
            const at = head.indexOf(HEAD_END);
            if (at < 0) return;
            const text = head.slice(0, at);
            onHead(text);
            left = Number(headerIn(text, 'content-length') ?? Number.POSITIVE_INFINITY);
            left -= head.length - at - HEAD_END.length;
          } else left -= part.length;
          if (left <= 0) end();
        },
        onEnd: end,
      };
    },
  };
}
