import type * as z from 'zod';
import { conditionText } from '../contract/alert-figures.ts';
import type { AlertRuleBody } from '../contract/alert-rule.ts';
import type { alertRuleRecord, deadAlertRecord, madeRuleRecord } from '../contract/records/alert.ts';
import { RequestError, StoreError } from '../errors.ts';
import type { Alerts, ShownAlert, ShownRule } from './alerts.ts';
import type { RuleOwner } from './rule.ts';

type RuleRecord = z.infer<typeof alertRuleRecord>;
type DeadRecord = z.infer<typeof deadAlertRecord>;

/** The rules of keys, as their holders see and change them. All reject with a RequestError for what cannot be. */
export interface RulesOfKeys {
  /** The oldest first. */
  list(keyId: string): Promise<readonly RuleRecord[]>;
  /** Resolves once the rule is kept for good. */
  add(keyId: string, body: AlertRuleBody): Promise<z.infer<typeof madeRuleRecord>>;
  /** Resolves once everything of it is gone for good. */
  remove(keyId: string, id: string): Promise<void>;
  /** Alerts that could not be delivered, the newest first. */
  dead(keyId: string, limit: number): Promise<readonly DeadRecord[]>;
}

const RETRY_AFTER_SECONDS = 5;

/** Those of this very process. */
export function rulesOfKeys(alerts: Alerts): RulesOfKeys {
  return {
    list: async (keyId) => alerts.list(ownerOf(keyId)).map(ruleToWire),
    async add(keyId, body) {
      const made = await alerts.add(ownerOf(keyId), body).catch(refuse);
      return { ...ruleToWire(made), secret: made.rule.target.secret };
    },
    remove: (keyId, id) => alerts.remove(id, ownerOf(keyId)).catch(refuse),
    dead: async (keyId, limit) => alerts.dead(limit, ownerOf(keyId)).map(deadToWire),
  };
}

function ownerOf(keyId: string): RuleOwner {
  return { type: 'key', id: keyId };
}

function ruleToWire({ rule, account, ...counts }: ShownRule): RuleRecord {
  const { id, name, event, bucket, when, rearm, once, cooldownMs, target, createdAt } = rule;
  const { alerts, active, waiting, dead, lastFailure } = counts;
  return {
    id,
    name,
    account,
    event,
    bucket,
    when: conditionText(when),
    rearm,
    once,
    cooldown: cooldownMs / 1_000,
    target: { type: target.type, host: new URL(target.url).host },
    created_ts: createdAt,
    alerts,
    active,
    waiting,
    dead,
    last_failure: lastFailure,
  };
}

function deadToWire({ rule, account, alert }: ShownAlert): DeadRecord {
  const { id, n, at, event, bucket, value, tries, failure } = alert;
  return {
    id,
    rule: rule.id,
    n,
    ts: at,
    account,
    event_id: event,
    bucket,
    when: conditionText(rule.when),
    value,
    tries,
    failure: failure ?? '',
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof StoreError)) throw error;
  const message = 'The rule could not be stored; nothing was changed';
  throw new RequestError(503, 'store_unavailable', message, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
}
