import * as z from 'zod';
import { ALERT_FIGURE_NAMES } from '../alert-figures.ts';
import { ALERT_TARGETS } from '../alert-rule.ts';
import { timeMs } from './fields.ts';

const RULE_ID = 'k3Jd82Pq';
const ALERT_ID = `${RULE_ID}-17044-x3Fq8_aZ`;
const NAME = 'ahead of the oracle';
const TITLE = 'Account A # posts November 13 - November 15, 2026?';

const about = {
  account: z.string().meta({ description: 'Path segment of the account.' }),
  bucket: z.string().nullable().meta({ description: 'Label of the bucket; null without one.' }),
};
const when = z.string().meta({ description: 'The condition.' });
const eventId = z.int().nullable();
const name = z.string().nullable().meta({ description: 'The name of the rule; null without one.' });
const n = z.int().min(1).meta({ description: 'Counts the alerts of the rule from 1 on, without holes.' });

const ALERT_EXAMPLE = {
  id: ALERT_ID,
  rule: RULE_ID,
  name: NAME,
  n: 3,
  seq: 17_044,
  ts: 1_794_714_403_563,
  account: 'account_a',
  event_id: 130_385,
  event_title: TITLE,
  bucket: null,
  when: 'settlement_delta >= 2',
  figure: 'settlement_delta' as const,
  value: 2,
  text: `account_a, ${TITLE}: settlement_delta is 2 (settlement_delta >= 2)`,
};

/** The body of a webhook. */
export const alertMessage = z
  .object({
    id: z.string().meta({
      description:
        'Id of the alert, also in the header webhook-id. It stays the same however often it is sent.',
    }),
    rule: z.string().meta({ description: 'Id of the rule.' }),
    name,
    n,
    seq: z.int().meta({
      description: 'Sequence number in the log of the observation that made the condition true.',
    }),
    ts: timeMs.meta({ description: 'When that observation was received, UTC ms.' }),
    ...about,
    event_id: eventId.meta({ description: 'Id of the event; null where the figure is one of the account.' }),
    event_title: z.string().nullable().meta({ description: 'Title of the event; null without one.' }),
    when,
    figure: z.enum(ALERT_FIGURE_NAMES).meta({ description: 'The figure of the condition.' }),
    value: z.number().meta({ description: 'The value of the figure that made the condition true.' }),
    text: z.string().meta({ description: 'All of that in a sentence.' }),
  })
  .meta({ description: 'What a webhook receives.', examples: [ALERT_EXAMPLE] });

export type AlertMessage = z.infer<typeof alertMessage>;

const RULE_EXAMPLE = {
  id: RULE_ID,
  name: NAME,
  account: 'account_a',
  event: null,
  bucket: null,
  when: 'settlement_delta >= 2',
  rearm: 0,
  once: false,
  cooldown: 60,
  target: { type: 'webhook' as const, host: 'bot.example' },
  created_ts: 1_794_714_403_563,
  alerts: 3,
  active: 1,
  waiting: 0,
  dead: 0,
  last_failure: null,
};

const ruleShape = {
  id: z.string().meta({ description: 'Id of the rule.' }),
  name,
  ...about,
  event: eventId.meta({ description: 'Id of the event; null for every open one.' }),
  when,
  rearm: z.number().nullable().meta({ description: 'Where it is armed again; null without one.' }),
  once: z.boolean().meta({ description: 'Whether there is at most one alert of each event and bucket.' }),
  cooldown: z.int().meta({ description: 'Least seconds between two alerts of the same event and bucket.' }),
  target: z
    .object({
      type: z.enum(ALERT_TARGETS).meta({ description: 'What the body is made for.' }),
      host: z
        .string()
        .meta({ description: 'Where alerts are sent. The rest of the address may be a secret.' }),
    })
    .meta({ description: 'Where alerts are sent.' }),
  created_ts: timeMs.meta({ description: 'When it was made, UTC ms.' }),
  alerts: z.int().min(0).meta({ description: 'How many alerts it has made.' }),
  active: z.int().min(0).meta({
    description: 'Of how many events or buckets the condition held, so that it has to become true anew.',
  }),
  waiting: z.int().min(0).meta({ description: 'Alerts that are not delivered yet.' }),
  dead: z.int().min(0).meta({ description: 'Alerts that could not be delivered and are not tried again.' }),
  last_failure: z.string().nullable().meta({ description: 'Why the last try failed; null unless it did.' }),
};

export const alertRuleRecord = z
  .object(ruleShape)
  .meta({ description: 'A rule, and what came of it.', examples: [RULE_EXAMPLE] });

export const madeRuleRecord = z
  .object({
    ...ruleShape,
    secret: z.string().nullable().meta({
      description:
        'What deliveries to a webhook are signed with. It is shown this once; null for other targets.',
    }),
  })
  .meta({
    description: 'A rule that was just made.',
    examples: [{ ...RULE_EXAMPLE, alerts: 0, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
  });

export const removedRuleRecord = z
  .object({ id: z.string().meta({ description: 'Id of the rule that was removed.' }) })
  .meta({ description: 'A rule that was removed.', examples: [{ id: RULE_ID }] });

export const deadAlertRecord = z
  .object({
    id: z.string().meta({ description: 'Id of the alert.' }),
    rule: z.string().meta({ description: 'Id of the rule.' }),
    n,
    ts: timeMs.meta({ description: 'When the condition became true, UTC ms.' }),
    ...about,
    event_id: eventId.meta({ description: 'Id of the event; null where the figure is one of the account.' }),
    when,
    value: z.number().meta({ description: 'The value of the figure.' }),
    tries: z.int().min(0).meta({ description: 'How often it was tried.' }),
    failure: z.string().meta({ description: 'Why the last try failed.' }),
  })
  .meta({
    description: 'An alert that could not be delivered.',
    examples: [
      {
        id: ALERT_ID,
        rule: RULE_ID,
        n: 3,
        ts: 1_794_714_403_563,
        account: 'account_a',
        event_id: 130_385,
        bucket: null,
        when: 'settlement_delta >= 2',
        value: 2,
        tries: 12,
        failure: 'the receiver answered 500',
      },
    ],
  });
