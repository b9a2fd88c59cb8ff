import type { FollowingCost } from '../service/following-cost.ts';
import { textTable } from './table.ts';

const HEADINGS = [
  'SEGMENT',
  'POSTS FROM',
  'REQUESTS A DAY',
  'IN 15 MINUTES',
  'READS A POST',
  'USD PER 100 POSTS',
];
const NONE = '-';

/** What following the accounts takes at most, for people. */
export function costText(cost: FollowingCost): string {
  const { accounts, requestsPer15Minutes, limitPer15Minutes, countIntervalMs } = cost;
  const rows = accounts.map(({ segment, via, ...most }) =>
    via === 'oracle_list'
      ? [segment, 'oracle list', NONE, NONE, NONE, NONE]
      : [
          segment,
          'timeline',
          range(most.fewestRequestsPerDay, most.requestsPerDay),
          `up to ${grouped(most.requestsPer15Minutes)}`,
          `up to ${grouped(most.readsPerPost)}`,
          `up to ${most.usdPer100Posts.toFixed(2)}`,
        ],
  );
  const sentences = [
    ...(limitPer15Minutes === null
      ? []
      : [
          `All timelines together take up to ${grouped(requestsPer15Minutes)} requests in 15 minutes, of ` +
            `${grouped(limitPer15Minutes)} that the posts API allows.`,
        ]),
    `The oracle is asked in turns: each of its counts is read about every ${Math.round(countIntervalMs / 1_000)} s.`,
  ];
  return `${textTable([HEADINGS, ...rows])}\n${sentences.map((sentence) => `${sentence}\n`).join('')}`;
}

function range(fewest: number, most: number): string {
  return fewest === most ? grouped(most) : `${grouped(fewest)} to ${grouped(most)}`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
