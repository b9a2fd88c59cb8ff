import * as z from 'zod';

const delay = z.number().nullable();

export const percentilesRecord = z.object({
  n: z.int().min(0).meta({ description: 'Posts measured.' }),
  p50_ms: delay.meta({ description: 'Half of the posts took at most this long, ms; null without posts.' }),
  p90_ms: delay.meta({ description: 'Nine of ten posts took at most this long, ms.' }),
  p99_ms: delay.meta({ description: '99 of 100 posts took at most this long, ms.' }),
});

/** How long posts of the last 24 h took to be seen, settled on and shown. */
export const lagRecord = z
  .object({
    account: z.string().meta({ description: 'Path segment of the account.', examples: ['account_a'] }),
    seen: percentilesRecord.meta({ description: 'Time from a post until this service saw it.' }),
    oracle: percentilesRecord.meta({ description: 'Time from a post until the oracle counted it.' }),
    ui: percentilesRecord.meta({ description: 'Time from a post until the trading page showed it.' }),
  })
  .meta({
    description: 'Delays of the posts of the last 24 h.',
    examples: [
      {
        account: 'account_a',
        seen: { n: 64, p50_ms: 620, p90_ms: 1_010, p99_ms: 1_480 },
        oracle: { n: 60, p50_ms: 61_000, p90_ms: 118_000, p99_ms: 240_000 },
        ui: { n: 58, p50_ms: 84_000, p90_ms: 171_000, p99_ms: 290_000 },
      },
    ],
  });
