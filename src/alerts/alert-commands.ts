import * as z from 'zod';
import { conditionText } from '../contract/alert-figures.ts';
import { alertBody } from '../contract/alert-rule.ts';
import { InvalidRequest } from '../contract/validation/validate.ts';
import { RequestError, ServiceError } from '../errors.ts';
import type { StoredAlerts } from '../store/store.ts';
import type { Alerts, ShownRule } from './alerts.ts';
import type { AlertRule, QueuedAlert, RuleOwner } from './rule.ts';
import { placesOf, storedAlerts, storedRules, storedStates } from './stored-rules.ts';

/** What an operator can do to rules, as it goes over the control socket. */
const alertCommand = z.discriminatedUnion('do', [
  z.object({ op: z.literal('alerts'), do: z.literal('list') }),
  z.object({ op: z.literal('alerts'), do: z.literal('add'), rule: z.unknown() }),
  z.object({ op: z.literal('alerts'), do: z.literal('remove'), id: z.string().max(100) }),
  z.object({ op: z.literal('alerts'), do: z.literal('dead') }),
]);
export type AlertCommand = z.infer<typeof alertCommand>;

const listedRule = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string().nullable(),
  account: z.string(),
  event: z.number().nullable(),
  bucket: z.string().nullable(),
  when: z.string(),
  target: z.string(),
  alerts: z.number(),
  waiting: z.number(),
  dead: z.number(),
});
const listedAlert = z.object({
  id: z.string(),
  rule: z.string(),
  at: z.number(),
  event: z.number().nullable(),
  bucket: z.string().nullable(),
  value: z.number(),
  tries: z.number(),
  failure: z.string(),
});
/** `secret` is null unless one was just made. */
const alertCommandAnswer = z.object({
  rules: z.array(listedRule),
  dead: z.array(listedAlert),
  secret: z.string().nullable(),
});
export type AlertCommandAnswer = z.infer<typeof alertCommandAnswer>;
export type ListedRule = z.infer<typeof listedRule>;
export type ListedAlert = z.infer<typeof listedAlert>;

const MOST_DEAD = 1_000;
const OPERATOR: RuleOwner = { type: 'operator' };

export function parseAlertCommandAnswer(value: unknown): AlertCommandAnswer {
  return alertCommandAnswer.parse(value);
}

export function isAlertCommand(value: unknown): value is AlertCommand {
  return alertCommand.safeParse(value).success;
}

/** Runs a command on the rules of a running engine. Throws a ServiceError for one that it refuses. */
export async function runAlertCommand(
  alerts: Alerts | undefined,
  command: AlertCommand,
): Promise<AlertCommandAnswer> {
  if (alerts === undefined) {
    throw new ServiceError('ALERTS_CLOSED', 'this engine has no alerts yet, as it starts: try again');
  }
  switch (command.do) {
    case 'list':
      return { ...NOTHING, rules: alerts.list().map(listed) };
    case 'dead':
      return { ...NOTHING, dead: alerts.dead(MOST_DEAD).map(({ alert }) => listedDead(alert)) };
    case 'remove':
      await alerts.remove(command.id).catch(refused);
      return NOTHING;
    case 'add': {
      const { data, error } = alertBody.safeParse(command.rule);
      if (data === undefined) {
        const faults = (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
        throw new ServiceError('ALERTS_REFUSED', faults.join('; '));
      }
      const made = await alerts.add(OPERATOR, data).catch(refused);
      return { ...NOTHING, rules: [listed(made)], secret: made.rule.target.secret };
    }
  }
}

/** The same in a store on which no engine runs, but for a new rule, which needs one. */
export async function runStoredAlertCommand(
  stored: StoredAlerts,
  command: AlertCommand,
): Promise<AlertCommandAnswer> {
  const rules = storedRules(stored);
  switch (command.do) {
    case 'list': {
      const states = storedStates(stored);
      return {
        ...NOTHING,
        rules: rules.map((rule) => ({
          ...listedRuleOf(rule, rule.account),
          alerts: states.get(rule.id)?.n ?? 0,
          waiting: stored.rows('waiting', rule.id).length,
          dead: stored.rows('dead', rule.id).length,
        })),
      };
    }
    case 'dead':
      return { ...NOTHING, dead: storedAlerts(stored, 'dead').slice(-MOST_DEAD).map(listedDead) };
    case 'remove': {
      const rule = rules.find(({ id }) => id === command.id);
      if (rule === undefined || rule.owner.type === 'config') {
        throw new ServiceError('ALERTS_REFUSED', `there is no rule ${command.id} that could be removed here`);
      }
      await stored.write({ put: [], remove: placesOf(stored, command.id) });
      return NOTHING;
    }
    case 'add':
      throw new ServiceError('ALERTS_CLOSED', 'no engine runs on the folder: start it, then add the rule');
  }
}

const NOTHING: AlertCommandAnswer = { rules: [], dead: [], secret: null };

function refused(error: unknown): never {
  if (error instanceof InvalidRequest) {
    const faults = error.faults.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
    throw new ServiceError('ALERTS_REFUSED', faults.join('; '));
  }
  if (error instanceof RequestError) throw new ServiceError('ALERTS_REFUSED', error.message);
  throw error;
}

function listed({ rule, account, alerts, waiting, dead }: ShownRule): ListedRule {
  return { ...listedRuleOf(rule, account), alerts, waiting, dead };
}

function listedRuleOf(rule: AlertRule, account: string) {
  const { id, owner, name, event, bucket, when, target } = rule;
  return {
    id,
    owner: owner.type === 'key' ? `key ${owner.id}` : owner.type,
    name,
    account,
    event,
    bucket,
    when: conditionText(when),
    target: `${target.type} ${new URL(target.url).host}`,
  };
}

function listedDead({ id, rule, at, event, bucket, value, tries, failure }: QueuedAlert): ListedAlert {
  return { id, rule, at, event, bucket, value, tries, failure: failure ?? '' };
}
