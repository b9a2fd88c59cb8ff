import type { Output } from '../../streams/internal.ts';
import { readCondition } from '../contract/alert-figures.ts';
import type { AlertRuleBody } from '../contract/alert-rule.ts';
import { unknownAccount } from '../contract/unknown-account.ts';
import { InvalidRequest } from '../contract/validation/validate.ts';
import { type Fault, isRefusedWrite, RequestError, StartError } from '../errors.ts';
import { createRetryingWriter, firstRefusal } from '../resilience/retry-write.ts';
import type { AlertChanges, AlertPlace, AlertRow, Outputs, StoredAlerts } from '../store/store.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { Latest } from '../views/latest.ts';
import { postOf } from './bodies.ts';
import { createDelivery, DELIVERY_TIMES, type Delivery, type DeliveryTimes } from './delivery.ts';
import { type LookupAll, post } from './post.ts';
import { namesPrivateAddress } from './private-address.ts';
import type { Alert, AlertRule, QueuedAlert, RuleOwner } from './rule.ts';
import { mintSecret } from './signature.ts';
import {
  alertRow,
  placesOf,
  ruleRow,
  stateRow,
  storedAlerts,
  storedRules,
  storedStates,
  storedUpTo,
  upToRow,
} from './stored-rules.ts';
import { createWatch, type Looked, type Watch } from './watch.ts';

/** A rule of the config file, under a name that is its own there. */
interface ConfiguredRule extends AlertRuleBody {
  readonly id: string;
}

export interface AlertTimes extends DeliveryTimes {
  /** How long a receiver may take for one delivery. */
  readonly timeoutMs: number;
}

const ALERT_TIMES: AlertTimes = { ...DELIVERY_TIMES, timeoutMs: 10_000 };

/** Rules of one owner. */
const MOST_RULES = 50;
/** Alerts of one rule that wait; what is beyond is dead at once. */
const MOST_WAITING = 1_000;
/** Turns that wait to be looked at; after more of them, all are read from the store. */
const MOST_TURNS = 1_000;

export interface AlertsDeps {
  readonly stored: StoredAlerts;
  readonly outputs: Pick<Outputs, 'read' | 'readBack' | 'upTo'>;
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  readonly configured: readonly ConfiguredRule[];
  /** Whether a key may have alerts: it is of tier PRO or above, and not revoked. */
  readonly isAdmitted: (keyId: string) => boolean;
  /** Whether alerts may be sent now; always unless given. They are watched for all the same. */
  readonly mayDeliver?: (() => boolean) | undefined;
  readonly allowsPrivate: boolean;
  readonly times?: Partial<AlertTimes> | undefined;
  /** UTC ms. */
  readonly now: () => number;
  /** Ms that never go back. */
  readonly mono: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Gives no id twice. */
  readonly newId: () => string;
  readonly lookupAll?: LookupAll;
  readonly report: (error: unknown) => void;
  /** Called with each outcome of a delivery. */
  readonly told?: (outcome: 'delivered' | 'failed' | 'dead') => void;
  /** Called when rules cannot be followed any more, and only a restart recovers. */
  readonly broken?: ((error: unknown) => void) | undefined;
}

/** A rule, and what came of it. */
export interface ShownRule {
  readonly rule: AlertRule;
  /** Path segment of the account. */
  readonly account: string;
  readonly alerts: number;
  readonly active: number;
  readonly waiting: number;
  readonly dead: number;
  readonly lastFailure: string | null;
}

export interface ShownAlert {
  readonly rule: AlertRule;
  readonly account: string;
  readonly alert: QueuedAlert;
}

export interface Alerts {
  /** Those of an owner, or all; the oldest first. */
  list(owner?: RuleOwner): readonly ShownRule[];
  /** Resolves once the rule is on disk. Rejects with a RequestError for one that cannot be. */
  add(owner: RuleOwner, body: AlertRuleBody): Promise<ShownRule>;
  /** Resolves once everything of it is gone from the disk. Rejects with a RequestError when the owner has no such rule. */
  remove(id: string, owner?: RuleOwner): Promise<void>;
  /** Alerts of an owner, or of all, that could not be delivered; the newest first. */
  dead(limit: number, owner?: RuleOwner): readonly ShownAlert[];
  /** Watches no more, and resolves when nothing is under way. */
  stop(): Promise<void>;
}

/**
 * Watches outputs as a reader of them and delivers alerts. What was made of outputs is stored with how far they were looked
 * at, in one commit, before anything is sent: a process that was killed goes on from there. The latest values have to be loaded.
 */
export async function openAlerts(deps: AlertsDeps): Promise<Alerts> {
  const { stored, outputs, latest, accounts, now, report, broken = () => undefined } = deps;
  const times = { ...ALERT_TIMES, ...deps.times };
  const segments = new Map(accounts.map(({ id, segment }) => [id, segment]));
  const writer = createRetryingWriter({ onRefused: firstRefusal(report), isRefusal: isRefusedWrite });
  const write = (changes: AlertChanges) => writer.write(() => stored.write(changes));
  const rules = new Map<string, AlertRule>();
  const isAdmitted = (owner: RuleOwner) => owner.type !== 'key' || deps.isAdmitted(owner.id);

  const delivery: Delivery = createDelivery(
    {
      ...deps,
      times,
      write,
      isAdmitted,
      broken,
      send: (rule, alert, signal) => {
        const account = segments.get(rule.account) ?? rule.account;
        return post(postOf({ rule, alert, account, now: now() }), { ...deps, ...times, signal });
      },
    },
    (rule) => storedAlerts(stored, 'dead', rule).map(({ n }) => n),
  );

  async function store({ upTo, states, alerts }: Looked): Promise<void> {
    const queued = new Map<string, QueuedAlert[]>();
    const rows = [upToRow(upTo), ...Array.from(states, ([rule, state]) => stateRow(rule, state))];
    const remove: AlertPlace[] = [];
    for (const alert of alerts) {
      const waiting = queued.get(alert.rule) ?? [];
      queued.set(alert.rule, waiting);
      const isFull = delivery.waiting(alert.rule) + waiting.length >= MOST_WAITING;
      if (isFull) {
        rows.push(alertRow('dead', { ...queuedOf(alert), failure: 'too many alerts wait' }));
        remove.push(...delivery.withDead(alert.rule, alert.n));
      } else {
        waiting.push(queuedOf(alert));
        rows.push(alertRow('waiting', queuedOf(alert)));
      }
    }
    await write({ put: rows, remove });
    for (const [id, waiting] of queued) {
      const rule = rules.get(id);
      if (rule !== undefined) delivery.add(rule, waiting);
    }
  }

  let last: Promise<unknown> = Promise.resolve();
  /** One after another, as each builds on the one before. */
  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = last.then(task);
    last = done.catch(() => undefined);
    return done;
  }

  let isStopping = false;
  let turns: (readonly Output[])[] = [];
  let isBehind = false;
  let isScheduled = false;

  async function lookAtTurns(): Promise<void> {
    isScheduled = false;
    if (isBehind) {
      isBehind = false;
      turns = [];
      await watch.catchUp();
      return;
    }
    for (let turn = turns.shift(); turn !== undefined && !isStopping; turn = turns.shift()) {
      await watch.look(turn);
    }
  }

  function follow(turn: readonly Output[]): void {
    if (rules.size === 0 || isStopping) return;
    turns.push(turn);
    if (turns.length > MOST_TURNS) {
      turns = [];
      isBehind = true;
    }
    if (isScheduled) return;
    isScheduled = true;
    inTurn(lookAtTurns).catch((error: unknown) => {
      if (isStopping) return;
      report(error);
      broken(error);
    });
  }

  const stateBefore = storedStates(stored);
  const changed = await settleConfigured(deps, write);
  for (const rule of storedRules(stored)) rules.set(rule.id, rule);
  for (const rule of rules.values()) delivery.add(rule, storedAlerts(stored, 'waiting', rule.id));
  const watch: Watch = createWatch(
    { latest, outputs, isAdmitted: ({ owner }) => isAdmitted(owner), store, mono: deps.mono },
    {
      rules: [...rules.values()],
      states: new Map([...stateBefore].filter(([id]) => !changed.has(id))),
      upTo: storedUpTo(stored),
    },
  );
  const following = latest.change$.subscribe(follow);
  await inTurn(async () => {
    await watch.catchUp();
    const begun = [...rules.values()].filter(({ id }) => watch.state(id) === undefined);
    // The numbers of a rule that was changed go on.
    const put = begun.map((rule) => stateRow(rule.id, watch.add(rule, stateBefore.get(rule.id)?.n)));
    if (rules.size === 0) return;
    // How far it came and what the rules remember of it are stored together.
    await watch.settle();
    if (put.length > 0) await write({ put, remove: [] });
  });

  function shown(rule: AlertRule): ShownRule {
    const state = watch.state(rule.id);
    return {
      rule,
      account: segments.get(rule.account) ?? rule.account,
      alerts: state?.n ?? 0,
      active: Object.values(state?.marks ?? {}).filter(({ isArmed }) => !isArmed).length,
      waiting: delivery.waiting(rule.id),
      dead: stored.rows('dead', rule.id).length,
      lastFailure: delivery.lastFailure(rule.id),
    };
  }

  const rulesOf = (owner: RuleOwner | undefined) =>
    [...rules.values()]
      .filter((rule) => owner === undefined || isSameOwner(rule.owner, owner))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));

  return {
    list: (owner) => rulesOf(owner).map(shown),

    add: (owner, body) =>
      inTurn(async () => {
        if (rulesOf(owner).length >= MOST_RULES) {
          throw new RequestError(
            409,
            'alerts_full',
            `There are ${MOST_RULES} rules already: remove one first`,
          );
        }
        const rule = toRule(deps, deps.newId(), owner, body);
        const state = watch.add(rule);
        rules.set(rule.id, rule);
        try {
          const put = [ruleRow(rule), stateRow(rule.id, state)];
          await watch.settle();
          await stored.write({ put: [...put, upToRow(watch.upTo)], remove: [] });
        } catch (error) {
          rules.delete(rule.id);
          watch.remove(rule.id);
          throw error;
        }
        return shown(rule);
      }),

    remove: (id, owner) =>
      inTurn(async () => {
        const rule = rules.get(id);
        if (rule === undefined || (owner !== undefined && !isSameOwner(rule.owner, owner))) {
          throw new RequestError(404, 'alert_unknown', 'There is no such rule');
        }
        if (rule.owner.type === 'config') {
          throw new RequestError(409, 'alert_configured', 'The rule is in the config file: remove it there');
        }
        await delivery.forget(id);
        await stored.write({ put: [], remove: placesOf(stored, id) }).catch((error: unknown) => {
          delivery.add(rule, storedAlerts(stored, 'waiting', id));
          throw error;
        });
        rules.delete(id);
        watch.remove(id);
      }),

    dead: (limit, owner) =>
      rulesOf(owner)
        .flatMap((rule) =>
          storedAlerts(stored, 'dead', rule.id).map((alert) => ({
            rule,
            account: segments.get(rule.account) ?? rule.account,
            alert,
          })),
        )
        .sort(({ alert: a }, { alert: b }) => b.seq - a.seq || b.n - a.n)
        .slice(0, limit),

    async stop() {
      isStopping = true;
      following.unsubscribe();
      writer.stop();
      await inTurn(async () => {
        if (rules.size > 0) await watch.settle();
      }).catch(report);
      await delivery.stop();
    },
  };
}

function queuedOf(alert: Alert): QueuedAlert {
  return { ...alert, tries: 0, failure: null };
}

function isSameOwner(a: RuleOwner, b: RuleOwner): boolean {
  return a.type === b.type && (a.type !== 'key' || (b.type === 'key' && a.id === b.id));
}

type RuleDeps = Pick<AlertsDeps, 'accounts' | 'allowsPrivate' | 'now'>;

function toRule(
  { accounts, allowsPrivate, now }: RuleDeps,
  id: string,
  owner: RuleOwner,
  body: AlertRuleBody,
): AlertRule {
  const account = accounts.find(({ segment }) => segment === body.account);
  const when = readCondition(body.when);
  const { type, url, secret = null, token = null, chat = null } = body.target;
  const faults: Fault[] = [];
  if (account === undefined) faults.push(unknownAccount(accounts));
  if (!allowsPrivate && namesPrivateAddress(url)) {
    const msg = 'Value error, nothing is delivered to private addresses';
    faults.push({ loc: ['body', 'target', 'url'], msg, type: 'value_error' });
  }
  if (account === undefined || when === undefined || faults.length > 0) throw new InvalidRequest(faults);
  return {
    id,
    owner,
    name: body.name ?? null,
    account: account.id,
    event: body.event ?? null,
    bucket: body.bucket ?? null,
    when,
    rearm: body.rearm ?? null,
    once: body.once ?? false,
    cooldownMs: (body.cooldown ?? 0) * 1_000,
    target: { type, url, secret: type === 'webhook' ? (secret ?? mintSecret()) : null, token, chat },
    createdAt: now(),
  };
}

/**
 * Makes the stored rules of the config file those that it has now. Resolves to the ids of rules that watch something else
 * than they did.
 */
async function settleConfigured(
  deps: AlertsDeps,
  write: (changes: AlertChanges) => Promise<void>,
): Promise<ReadonlySet<string>> {
  const { stored, configured } = deps;
  const before = new Map(
    storedRules(stored)
      .filter(({ owner }) => owner.type === 'config')
      .map((rule) => [rule.id, rule]),
  );
  const changed = new Set<string>();
  const put: AlertRow[] = [];
  for (const { id: name, ...body } of configured) {
    const id = `config-${name}`;
    const known = before.get(id);
    before.delete(id);
    const rule = toConfigured(deps, id, body);
    const kept = known === undefined ? rule : { ...rule, createdAt: known.createdAt };
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(kept)) continue;
    if (known === undefined || watchedText(known) !== watchedText(kept)) changed.add(id);
    put.push(ruleRow(kept));
  }
  const remove = Array.from(before.keys()).flatMap((id) => placesOf(stored, id));
  if (put.length + remove.length > 0) await write({ put, remove });
  return changed;
}

/** Throws a StartError for the first rule of the config file that cannot be used. */
export function checkConfigured(deps: RuleDeps & Pick<AlertsDeps, 'configured'>): void {
  for (const { id, ...body } of deps.configured) toConfigured(deps, `config-${id}`, body);
}

function toConfigured(deps: RuleDeps, id: string, body: AlertRuleBody): AlertRule {
  try {
    return toRule(deps, id, { type: 'config' }, body);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const faults = error.faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
    throw new StartError('ALERT_INVALID', `the rule ${id} cannot be used: ${faults.join('; ')}`);
  }
}

/** What a rule watches, without where it sends alerts. */
function watchedText({ account, event, bucket, when, rearm, once, cooldownMs }: AlertRule): string {
  return JSON.stringify([account, event, bucket, when, rearm, once, cooldownMs]);
}
