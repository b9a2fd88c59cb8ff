import * as z from 'zod';
import { PAID_FIELDS } from '../contract/account.ts';
import type { Fault } from '../errors.ts';
import { isRecord, missing, ownValue } from './faults.ts';
import { type Fields, type Read, readFields } from './fields.ts';
import { type Format, flag, oneOf, pathSegment, plainText, seconds } from './formats.ts';
import { POLLING_FIELDS } from './polling.ts';

function matching(pattern: RegExp, expects: string): Format<string> {
  return { schema: z.string().regex(pattern), expects };
}

function slugs(what: string): Format<readonly string[]> {
  return {
    schema: z
      .array(z.string().regex(/^[\w-]{1,100}$/))
      .min(1)
      .max(100)
      .readonly(),
    expects: `a list of ${what}, each of up to 100 letters, digits, _ and -`,
  };
}

function positive(max: number, what: string): Format<number> {
  return { schema: z.number().positive().max(max), expects: `${what}, more than 0 and at most ${max}` };
}

/** As the posts API and the oracle write names of users. */
const userName = matching(/^[\w.-]{1,100}$/, 'up to 100 letters, digits, ., _ and -');

/** An account in the list of the config file. */
const ENTRY = {
  // It is part of names such as `posts:a` in the log and in the store.
  id: matching(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'up to 32 small letters, digits, _ and -'),
  segment: pathSegment,
  name: matching(/^\P{Cc}{1,100}$/u, 'a name of up to 100 characters'),
  handle: userName,
  userId: matching(/^\d{1,20}$/, 'the number of the user, as a text of digits'),
  platform: plainText('the name of a platform', 'platform'),
  oracleId: userName,
  seriesSlugs: slugs('series of events'),
  slugPrefixes: slugs('beginnings of slugs'),
  rule: {
    originals: flag,
    quotes: flag,
    reposts: flag,
    selfReplies: flag,
    otherReplies: flag,
    communityReposts: flag,
  },
  staleSeconds: { posts: seconds(), oracle: seconds(), ui: seconds(), prices: seconds() },
  policy: {
    hasVelocity: flag,
    hasSizing: flag,
    hasRebalancing: flag,
    isBuyOnly: flag,
    freeFields: {
      schema: z
        .array(z.enum(PAID_FIELDS))
        .refine((fields) => new Set(fields).size === fields.length)
        .readonly(),
      expects: `a list of some of ${PAID_FIELDS.join(', ')}, each once`,
    },
  },
  prior: {
    postsPerDay: positive(10_000, 'counted posts a day'),
    days: positive(365, 'the days of posts that it is worth'),
  },
  polling: POLLING_FIELDS,
  postsFrom: oneOf(['timeline', 'oracle_list'], 'place'),
} satisfies Fields;

export type AccountEntry = Read<typeof ENTRY>;

/** Reads one entry. Fields that are needed and absent are faults too. */
export function readEntry(value: unknown, place: string, faults: Fault[]): AccountEntry {
  const entry = readFields(ENTRY, value, place, faults);
  // A field that is there and faulty is absent from the entry as well, and was told already.
  const isAbsent = (record: unknown, key: string) => isRecord(record) && ownValue(record, key) === undefined;
  if (isAbsent(value, 'id')) faults.push(missing(`${place}.id`, ENTRY.id.expects));
  for (const key of ['postsPerDay', 'days'] as const) {
    if (isAbsent(ownValue(value, 'prior'), key))
      faults.push(missing(`${place}.prior.${key}`, ENTRY.prior[key].expects));
  }
  return entry;
}
