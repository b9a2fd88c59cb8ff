import type { AccountId, Output } from '../../streams/internal.ts';
import { createLoopYield } from '../resilience/loop-yield.ts';
import type { Outputs } from '../store/store.ts';
import type { Latest } from '../views/latest.ts';
import { evaluate, firstState, type RuleState } from './evaluate.ts';
import { isWatched, type Known, type WatchedOutput } from './known.ts';
import { loadKnown } from './load-known.ts';
import type { Alert, AlertRule } from './rule.ts';
import { groupsOf, storedGroups } from './stored-outputs.ts';

/** What came of some outputs, to be stored as a whole. */
export interface Looked {
  /** All outputs of observations up to this seq were looked at. */
  readonly upTo: number;
  /** States that changed since they were last stored. */
  readonly states: ReadonlyMap<string, RuleState>;
  /** In the order in which they were made. */
  readonly alerts: readonly Alert[];
}

interface WatchDeps {
  readonly latest: Latest;
  readonly outputs: Pick<Outputs, 'read' | 'readBack' | 'upTo'>;
  readonly isAdmitted: (rule: AlertRule) => boolean;
  readonly store: (looked: Looked) => Promise<void>;
  /** Ms that never go back. */
  readonly mono: () => number;
}

/** Looks at outputs in the order of the log, once each. Calls must not overlap. */
export interface Watch {
  readonly upTo: number;
  state(rule: string): RuleState | undefined;
  /** Begins to watch with a rule that had `n` alerts, 0 unless given. Returns its first state, which has to be stored with the rule. */
  add(rule: AlertRule, n?: number): RuleState;
  remove(rule: string): void;
  /** The outputs of a turn. Those that were looked at already are skipped. */
  look(outputs: readonly Output[]): Promise<void>;
  /** Looks at what is stored and was not looked at. */
  catchUp(): Promise<void>;
  /** Stores how far it came. */
  settle(): Promise<void>;
}

/** Without an alert, how far it came is stored this often: a restart looks at the rest again. */
const STORE_MS = 5_000;
/** While much is looked at at once, this many alerts are stored together. */
const MOST_UNSTORED = 500;

interface Begin {
  readonly rules: readonly AlertRule[];
  readonly states: ReadonlyMap<string, RuleState>;
  /** Undefined: from now on. */
  readonly upTo: number | undefined;
}

/** Watches with the rules that have a state; others begin with `add`. */
export function createWatch(deps: WatchDeps, begin: Begin): Watch {
  const { latest, outputs, isAdmitted, store, mono } = deps;
  // A log may have lost its end.
  let upTo = Math.min(begin.upTo ?? latest.seq, latest.seq);
  let known: Known = loadKnown(latest, outputs, upTo);
  const rules = new Map<string, AlertRule>();
  const states = new Map<string, RuleState>();
  for (const rule of begin.rules) {
    const state = begin.states.get(rule.id);
    if (state === undefined) continue;
    rules.set(rule.id, rule);
    states.set(rule.id, state);
  }
  const changed = new Set<string>();
  let alerts: Alert[] = [];
  let storedAt = mono();

  async function settle(): Promise<void> {
    storedAt = mono();
    await store({ upTo, states: new Map([...changed].flatMap((id) => entryOf(states, id))), alerts });
    // Not before: what could not be stored is part of the next try.
    changed.clear();
    alerts = [];
  }

  function lookAt(group: readonly Output[]): void {
    const watched = group.filter(isWatched);
    if (watched.length === 0) return;
    // What is about an event comes after the event itself.
    for (const output of watched) if (output.stream === 'events') known.put(output);
    for (const output of watched) if (output.stream !== 'events') known.put(output);
    const accounts = new Set(watched.map((output) => accountOf(known, output)));
    for (const rule of rules.values()) {
      const before = states.get(rule.id);
      if (before === undefined || !accounts.has(rule.account) || !isAdmitted(rule)) continue;
      const { state, alerts: made } = evaluate(rule, before, known, watched);
      if (state === before) continue;
      states.set(rule.id, state);
      changed.add(rule.id);
      alerts.push(...made);
    }
  }

  async function lookAtAll(groups: Iterable<readonly Output[]>): Promise<void> {
    const loop = createLoopYield();
    for (const group of groups) {
      const seq = group[0]?.seq ?? 0;
      if (seq <= upTo) continue;
      lookAt(group);
      upTo = seq;
      if (alerts.length >= MOST_UNSTORED) await settle();
      if (loop.isDue()) await loop.yield();
    }
    if (alerts.length > 0 || mono() - storedAt >= STORE_MS) await settle();
  }

  return {
    get upTo() {
      return upTo;
    },
    state: (rule) => states.get(rule),
    add(rule, n = 0) {
      // Nothing was looked at while there was no rule.
      if (rules.size === 0) {
        upTo = latest.seq;
        known = loadKnown(latest, outputs, upTo);
      }
      const state = { ...firstState(rule, known), n };
      rules.set(rule.id, rule);
      states.set(rule.id, state);
      return state;
    },
    remove(rule) {
      rules.delete(rule);
      states.delete(rule);
      changed.delete(rule);
      alerts = alerts.filter((alert) => alert.rule !== rule);
    },
    async look(turn) {
      if (rules.size > 0) await lookAtAll(groupsOf(turn));
    },
    async catchUp() {
      if (rules.size === 0) return;
      while (upTo < outputs.upTo) {
        const target = outputs.upTo;
        await lookAtAll(storedGroups(outputs, upTo, target));
        upTo = Math.max(upTo, target);
      }
    },
    settle,
  };
}

/** Undefined for what is about no account. */
function accountOf(known: Known, output: WatchedOutput): AccountId | undefined {
  if (output.stream === 'events') {
    const { subject } = output.record;
    return subject.type === 'posts' ? subject.account : undefined;
  }
  if (output.stream !== 'prices') return output.record.account;
  const subject = known.event(output.record.eventId)?.subject;
  return subject?.type === 'posts' ? subject.account : undefined;
}

function entryOf(states: ReadonlyMap<string, RuleState>, id: string): readonly [string, RuleState][] {
  const state = states.get(id);
  return state === undefined ? [] : [[id, state]];
}
