import { API_PREFIX } from '../api-prefix.ts';
import { ONCE, type Operation } from '../operation.ts';
import { alertQuery, deadAlertsQuery, noQuery } from '../params.ts';

const OF_KEY = { ...ONCE, tag: 'Alerts', access: 'PRO', isCounted: true, isOfKey: true } as const;
const PATH = `${API_PREFIX}/alerts`;

/** Rules of a key, and what could not be delivered. */
export const ALERTS: readonly Operation[] = [
  {
    ...OF_KEY,
    id: 'getAlerts',
    path: PATH,
    summary: 'Rules of the calling key',
    description: 'What each rule watches, where it sends alerts, and what came of it.',
    query: noQuery,
    answer: 'AlertRulesAnswer',
    refusals: ['AlertsUnavailable'],
  },
  {
    ...OF_KEY,
    method: 'post',
    id: 'addAlert',
    path: PATH,
    summary: 'A new rule',
    description:
      'An alert is made when the condition becomes true, and sent at least once, in order and under an id that stays the same. At most 50 rules of a key, and 16 KiB of JSON.',
    query: noQuery,
    body: 'AlertRuleRequest',
    answer: 'MadeAlertRule',
    refusals: ['BodyIncomplete', 'AlertsFull', 'BodyTooLarge', 'UnsupportedMediaType', 'AlertsUnavailable'],
  },
  {
    ...OF_KEY,
    method: 'delete',
    id: 'removeAlert',
    path: PATH,
    summary: 'The end of a rule',
    description: 'What it has not delivered yet is dropped.',
    query: alertQuery,
    answer: 'RemovedAlertRule',
    refusals: ['AlertUnknown', 'AlertsUnavailable'],
  },
  {
    ...OF_KEY,
    id: 'getDeadAlerts',
    path: `${PATH}/dead`,
    summary: 'Alerts that could not be delivered',
    description: 'Those of the calling key that are not tried again, the newest first.',
    query: deadAlertsQuery,
    answer: 'DeadAlertsAnswer',
    refusals: ['AlertsUnavailable'],
  },
];
