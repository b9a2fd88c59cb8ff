import type * as z from 'zod';
import type { Alerts, ShownAlert, ShownRule } from '../../alerts/alerts.ts';
import type { RuleOwner } from '../../alerts/rule.ts';
import { conditionText } from '../../contract/alert-figures.ts';
import { alertBody } from '../../contract/alert-rule.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { alertQuery, deadAlertsQuery, noQuery } from '../../contract/params.ts';
import type { alertRuleRecord, deadAlertRecord } from '../../contract/records/alert.ts';
import { readBody, readQuery } from '../../contract/validation/validate.ts';
import { RequestError, StoreError } from '../../errors.ts';
import { type Answer, type Call, plainAnswer, type SlowEndpoint } from '../answer.ts';
import { API_HEADERS, JSON_TYPE } from '../headers.ts';
import { receiveJson } from '../request-body.ts';
import { starting } from '../starting.ts';

const PATH = `${API_PREFIX}/alerts`;
const RETRY_AFTER_SECONDS = 5;
/** About what a key keeps: no payment buys it. */
const OF_KEY = { access: 'PRO', isOfKey: true } as const;

interface AlertRouteDeps {
  /** Undefined until the engine is open. */
  readonly alerts: () => Alerts | undefined;
  readonly now: () => number;
}

/** GET, POST and DELETE /alerts: the rules of the calling key; and what of them could not be delivered. */
export function alertEndpoints({ alerts, now }: AlertRouteDeps): readonly SlowEndpoint[] {
  const opened = () => {
    const open = alerts();
    if (open === undefined) throw starting('it reads its own log');
    return open;
  };
  const answer = (body: object): Answer => plainAnswer(200, JSON_TYPE, JSON.stringify(body), API_HEADERS);
  const data = (list: readonly object[]) => answer({ timestamp: now(), data: list });
  return [
    {
      ...OF_KEY,
      method: 'GET',
      path: PATH,
      async answer(call) {
        readQuery(noQuery, call.query);
        return data(opened().list(ownerOf(call)).map(ruleToWire));
      },
    },
    {
      ...OF_KEY,
      method: 'POST',
      path: PATH,
      async answer(call, _tier, { req }) {
        const body = readBody(alertBody, await receiveJson(req), call.query);
        const made = await opened().add(ownerOf(call), body).catch(refuse);
        return answer({ ...ruleToWire(made), secret: made.rule.target.secret });
      },
    },
    {
      ...OF_KEY,
      method: 'DELETE',
      path: PATH,
      async answer(call) {
        const { id } = readQuery(alertQuery, call.query);
        await opened().remove(id, ownerOf(call)).catch(refuse);
        return answer({ id });
      },
    },
    {
      ...OF_KEY,
      method: 'GET',
      path: `${PATH}/dead`,
      async answer(call) {
        const { limit } = readQuery(deadAlertsQuery, call.query);
        return data(opened().dead(limit, ownerOf(call)).map(deadToWire));
      },
    },
  ];
}

function ownerOf({ keyId }: Call): RuleOwner {
  if (keyId === null) throw new TypeError('alerts asked for without a key');
  return { type: 'key', id: keyId };
}

function ruleToWire({ rule, account, ...counts }: ShownRule): z.infer<typeof alertRuleRecord> {
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

function deadToWire({ rule, account, alert }: ShownAlert): z.infer<typeof deadAlertRecord> {
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
