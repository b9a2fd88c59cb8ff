import * as z from 'zod';
import { ALERT_FIGURES, type AlertCondition, readCondition } from './alert-figures.ts';
import { boundedString } from './bounded-string.ts';

/** The body of each is one that such receivers take. */
export const ALERT_TARGETS = ['webhook', 'ntfy', 'telegram', 'discord'] as const;

/** As in the Standard Webhooks: 24 to 64 bytes in base64. */
const SECRET_FORM = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.hash === '';
}

/** What only some targets take. */
const ONLY_FOR = { secret: 'webhook', token: 'ntfy', chat: 'telegram' } as const;

const alertTarget = z
  .object({
    type: z.enum(ALERT_TARGETS).meta({
      description:
        'What the body is made for: a signed webhook, an ntfy topic, or a chat that takes bodies like those of Telegram or Discord.',
      examples: ['webhook'],
    }),
    url: boundedString(2_000)
      .refine(isHttpUrl, 'expected an http or https address without a password and without #')
      .meta({
        description:
          'Where to POST. For ntfy the address of the topic; for telegram that of sendMessage; for discord that of the webhook.',
        examples: ['https://bot.example/alerts'],
      }),
    secret: boundedString(100, SECRET_FORM)
      .nullish()
      .meta({
        description: 'Only for webhook: what deliveries are signed with. Without it one is made.',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    token: boundedString(500, /^[\x21-\x7e]+$/)
      .nullish()
      .meta({ description: 'Only for ntfy: an access token of the server.', examples: ['tk_example'] }),
    chat: boundedString(100, /^[\x21-\x7e]+$/)
      .nullish()
      .meta({ description: 'Only for telegram, and needed there: the chat.', examples: ['-1001234567890'] }),
  })
  .superRefine((target, ctx) => {
    for (const [name, type] of Object.entries(ONLY_FOR)) {
      const isGiven = target[name as keyof typeof ONLY_FOR] != null;
      if (isGiven && target.type !== type)
        ctx.addIssue({ code: 'custom', path: [name], message: `only a target of type ${type} has it` });
    }
    if (target.type === 'telegram' && target.chat == null)
      ctx.addIssue({
        code: 'custom',
        path: ['chat'],
        message: 'expected the chat',
        params: { type: 'missing' },
      });
    if (target.type === 'ntfy' && URL.canParse(target.url) && topicOf(target.url) === '')
      ctx.addIssue({ code: 'custom', path: ['url'], message: 'expected the address of a topic' });
  });

/** The last segment of the path. */
export function topicOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

const condition = boundedString(100)
  .refine(
    (text) => readCondition(text) !== undefined,
    'expected a figure, one of > >= < <= == !=, and a number',
  )
  .meta({
    description: `A figure, one of > >= < <= == != and a number. Figures: ${Object.entries(ALERT_FIGURES)
      .map(([name, { of, description }]) => `\`${name}\` (${of}: ${description})`)
      .join('; ')}.`,
    examples: ['settlement_delta >= 2'],
  });

/** A rule as it is given, by a caller or in the config file. A null is the same as an absent field. */
export const alertRuleFields = {
  name: boundedString(100, /^\P{Cc}+$/u)
    .nullish()
    .meta({ description: 'What the rule is called in its messages.', examples: ['ahead of the oracle'] }),
  account: boundedString(64).meta({ description: 'Path segment of the account.', examples: ['account_a'] }),
  event: z
    .int()
    .min(0)
    .nullish()
    .meta({
      description: 'Id of an event: only this one. Without it every open event.',
      examples: [130_385],
    }),
  bucket: boundedString(100)
    .nullish()
    .meta({
      description: 'Label of a bucket: only this one. Without it every bucket.',
      examples: ['140-159'],
    }),
  when: condition,
  rearm: z
    .number()
    .nullish()
    .meta({
      description:
        'After an alert there is no other of the same event and bucket until the figure was back at this number, or beyond. Without it, until the condition did not hold.',
      examples: [0],
    }),
  once: z
    .boolean()
    .nullish()
    .meta({ description: 'Whether there is at most one alert of each event and bucket.', examples: [false] }),
  cooldown: z
    .int()
    .min(0)
    .max(604_800)
    .nullish()
    .meta({
      description:
        'Least seconds between two alerts of the same event and bucket. After that the next change of the figure is looked at.',
      examples: [60],
    }),
  target: alertTarget.meta({ description: 'Where alerts are sent.' }),
};

interface Checked {
  readonly when: string;
  readonly event?: number | null | undefined;
  readonly bucket?: string | null | undefined;
  readonly rearm?: number | null | undefined;
  readonly once?: boolean | null | undefined;
}

/** Faults between fields that are fine by themselves. */
export function checkRule(rule: Checked, ctx: z.core.$RefinementCtx): void {
  const when = readCondition(rule.when);
  if (when === undefined) return;
  const { of } = ALERT_FIGURES[when.figure];
  const refuse = (field: string, message: string) =>
    void ctx.addIssue({ code: 'custom', path: [field], message });
  if (rule.event != null && of === 'account') refuse('event', `${when.figure} is a figure of the account`);
  if (rule.bucket != null && of !== 'bucket') refuse('bucket', `${when.figure} is a figure of the ${of}`);
  if (rule.rearm != null && !canRearm(when, rule.rearm))
    refuse('rearm', 'expected a number where the condition does not hold, and a condition with < or >');
  if (rule.rearm != null && rule.once === true) refuse('rearm', 'a rule with once is never armed again');
}

function canRearm({ sign, value }: AlertCondition, rearm: number): boolean {
  if (sign === '>' || sign === '>=') return sign === '>' ? rearm <= value : rearm < value;
  if (sign === '<' || sign === '<=') return sign === '<' ? rearm >= value : rearm > value;
  return false;
}

/** A rule as it is given, checked. */
export type AlertRuleBody = z.output<typeof alertBody>;

export const alertBody = z
  .object(alertRuleFields)
  .superRefine(checkRule)
  .meta({ description: 'A rule: what to watch, and where to send alerts.' });
