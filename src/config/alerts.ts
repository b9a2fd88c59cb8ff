import * as z from 'zod';
import { type AlertRuleBody, alertRuleFields, checkRule } from '../contract/alert-rule.ts';
import type { Fault } from '../errors.ts';
import type { AccountConfig } from './accounts.ts';
import type { Format } from './formats.ts';

/** A rule of the config file, under a name that no other rule there has. */
export interface AlertConfig extends AlertRuleBody {
  readonly id: string;
}

const MOST_RULES = 1_000;

/** Rules of alerts, as a list or its JSON. The rules are read later, as each of their faults has a place of its own. */
export const alertList: Format<'' | readonly unknown[]> = {
  schema: z.preprocess(
    (value) => (typeof value === 'string' && value !== '' ? parsed(value) : value),
    z.union([z.literal(''), z.array(z.unknown()).max(MOST_RULES).readonly()]),
  ),
  expects: `a list of up to ${MOST_RULES} rules`,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const alertEntry = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9_-]{1,32}$/),
    ...alertRuleFields,
    target: alertRuleFields.target.strict(),
  })
  .superRefine(checkRule)
  .superRefine(({ target }, ctx) => {
    // One that was made up could not be told.
    if (target.type === 'webhook' && target.secret == null)
      ctx.addIssue({ code: 'custom', path: ['target', 'secret'], message: 'expected a secret' });
  });

interface AlertsRead {
  readonly alerts: readonly AlertConfig[];
  readonly faults: readonly Fault[];
}

/** The rules, and every fault of their list. Values are not quoted, as some are secrets. */
export function toAlerts(
  given: '' | readonly unknown[],
  place: string,
  accounts: readonly AccountConfig[],
): AlertsRead {
  const faults: Fault[] = [];
  const alerts = new Map<string, AlertConfig>();
  const fault = (at: string, msg: string) => void faults.push({ loc: [at], msg, type: 'value' });
  for (const [index, entry] of (given === '' ? [] : given).entries()) {
    const at = `${place}[${index}]`;
    const { data, error } = alertEntry.safeParse(entry);
    for (const { path, message } of error?.issues ?? []) fault([at, ...path].join('.'), message);
    if (data === undefined) continue;
    if (alerts.has(data.id)) fault(`${at}.id`, 'expected an id that no other rule has');
    if (!accounts.some(({ segment }) => segment === data.account))
      fault(`${at}.account`, 'expected the path segment of an account that is followed');
    alerts.set(data.id, data);
  }
  return { alerts: [...alerts.values()], faults };
}
