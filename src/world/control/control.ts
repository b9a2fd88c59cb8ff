import { type ActionOptions, ControlError, createActions } from './actions.ts';
import { VERBS, type Verb, type VerbBody, type VerbInput } from './verb-schemas.ts';

/** Changes the world by hand. Every verb takes effect at once: the next answer of any role shows it. */
export interface WorldControl {
  post(input: VerbInput<'post'>): { readonly id: string; readonly createdAt: number };
  deletePost(input: VerbInput<'delete-post'>): void;
  editPost(input: VerbInput<'edit-post'>): { readonly id: string };
  /** The same post is shown as one of another kind, which may count or not. */
  changeKind(input: VerbInput<'change-kind'>): void;
  stallOracle(input?: VerbInput<'stall-oracle'>): void;
  /** Ends the stall; the oracle syncs at once. */
  resumeOracle(input?: VerbInput<'resume-oracle'>): void;
  syncOracle(input?: VerbInput<'sync-oracle'>): void;
  setOracleTotal(input: VerbInput<'set-oracle-total'>): void;
  setUiCount(input: VerbInput<'set-ui-count'>): void;
  dropSocket(input: VerbInput<'drop-socket'>): void;
  freezeSocket(input: VerbInput<'freeze-socket'>): void;
  thawSocket(input: VerbInput<'thaw-socket'>): void;
  /** A frame with any text to every connection. */
  sendFrame(input: VerbInput<'send-frame'>): void;
  setPrice(input: VerbInput<'set-price'>): void;
  moveWindow(input: VerbInput<'move-window'>): void;
  setBuckets(input: VerbInput<'set-buckets'>): void;
  closeEvent(input: VerbInput<'close-event'>): void;
  reopenEvent(input: VerbInput<'reopen-event'>): void;
  addEvent(input: VerbInput<'add-event'>): { readonly id: number; readonly slug: string };
  steerFacilitator(input: VerbInput<'steer-facilitator'>): void;
  fault(input: VerbInput<'fault'>): void;
  clearFaults(input?: VerbInput<'clear-faults'>): void;
  /** Runs a verb by its name on the wire. The body is checked: a ZodError or a ControlError names the fault. */
  run(verb: string, body: unknown): unknown;
  state(): Readonly<Record<string, unknown>>;
}

export function createControl(options: ActionOptions): WorldControl {
  const { now, overrides, timeline, faults, facilitator, sockets } = options;
  const actions = createActions(options);
  const byVerb: { readonly [V in Verb]: (body: VerbBody<V>) => unknown } = actions;

  function run<V extends Verb>(verb: V, input: VerbInput<V>): unknown {
    // The table and the schemas share their keys; that is more than the compiler can follow.
    const body = VERBS[verb].parse(input) as VerbBody<V>;
    return byVerb[verb](body);
  }

  return {
    post: (input) => actions.post(VERBS.post.parse(input)),
    deletePost: (input) => void run('delete-post', input),
    editPost: (input) => actions['edit-post'](VERBS['edit-post'].parse(input)),
    changeKind: (input) => void run('change-kind', input),
    stallOracle: (input = {}) => void run('stall-oracle', input),
    resumeOracle: (input = {}) => void run('resume-oracle', input),
    syncOracle: (input = {}) => void run('sync-oracle', input),
    setOracleTotal: (input) => void run('set-oracle-total', input),
    setUiCount: (input) => void run('set-ui-count', input),
    dropSocket: (input) => void run('drop-socket', input),
    freezeSocket: (input) => void run('freeze-socket', input),
    thawSocket: (input) => void run('thaw-socket', input),
    sendFrame: (input) => void run('send-frame', input),
    setPrice: (input) => void run('set-price', input),
    moveWindow: (input) => void run('move-window', input),
    setBuckets: (input) => void run('set-buckets', input),
    closeEvent: (input) => void run('close-event', input),
    reopenEvent: (input) => void run('reopen-event', input),
    addEvent: (input) => actions['add-event'](VERBS['add-event'].parse(input)),
    steerFacilitator: (input) => void run('steer-facilitator', input),
    fault: (input) => void run('fault', input),
    clearFaults: (input = {}) => void run('clear-faults', input),
    run(verb, body) {
      if (!isVerb(verb))
        throw new ControlError(`no verb ${verb}, expected one of ${Object.keys(VERBS).join(', ')}`);
      return run(verb, body as VerbInput<typeof verb>) ?? null;
    },
    state: () => ({
      now: now(),
      startAt: timeline.startAt,
      revision: overrides.revision,
      posts: overrides.posts,
      deletions: Object.fromEntries(overrides.deletions),
      kinds: Object.fromEntries(overrides.kinds),
      stalls: Object.fromEntries(Array.from(overrides.oracle, ([id, { stalls }]) => [id, stalls])),
      oracleTotals: Object.fromEntries(overrides.oracleTotals),
      uiCounts: Object.fromEntries(overrides.uiCounts),
      windows: Object.fromEntries(overrides.windows),
      buckets: Object.fromEntries(overrides.buckets),
      closures: Object.fromEntries(overrides.closures),
      reopened: [...overrides.reopened],
      events: overrides.events,
      prices: Object.fromEntries(overrides.prices),
      faults: faults.list(),
      facilitator: facilitator.state(),
      connections: { book: sockets.book.connections(), crypto: sockets.crypto.connections() },
    }),
  };
}

function isVerb(name: string): name is Verb {
  return Object.hasOwn(VERBS, name);
}
