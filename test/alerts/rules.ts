import type { AlertRule } from '../../src/alerts/rule.ts';
import { readCondition } from '../../src/contract/alert-figures.ts';

/** A rule on account a that a test names only what it is about of. */
export function alertRule(when: string, fields: Partial<AlertRule> = {}): AlertRule {
  const condition = readCondition(when);
  if (condition === undefined) throw new TypeError(`${when} is no condition`);
  return {
    id: 'r',
    owner: { type: 'operator' },
    name: null,
    account: 'a',
    event: null,
    bucket: null,
    when: condition,
    rearm: null,
    once: false,
    cooldownMs: 0,
    target: {
      type: 'webhook',
      url: 'https://bot.example/',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      token: null,
      chat: null,
    },
    createdAt: 0,
    ...fields,
  };
}
