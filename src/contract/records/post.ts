import { z } from 'zod';
import { timeMs } from './fields.ts';

/** A post of an account (spec 2.3). */
export const postRecord = z
  .object({
    tweet_id: z.string().meta({ description: 'Id of the post on its platform.' }),
    text: z.string().meta({ description: 'What it says.' }),
    created_ts: timeMs.meta({ description: 'When it was made, UTC ms.' }),
    is_reply: z.boolean().meta({ description: 'It answers a post.' }),
    is_quote: z.boolean().meta({ description: 'It quotes a post.' }),
    is_retweet: z.boolean().meta({ description: 'It repeats a post.' }),
    is_counted: z
      .boolean()
      .nullable()
      .meta({ description: 'PRO: whether it counts toward settlement. FREE: always null.' }),
    seen_ts: timeMs.meta({ description: 'When we first saw it, UTC ms.' }),
    deleted_ts: timeMs.nullable().meta({ description: 'When it was found deleted, UTC ms, or null.' }),
    url: z.string().meta({ description: 'Where it is.' }),
  })
  .meta({
    description: 'A post. A deleted one keeps its place.',
    examples: [
      {
        tweet_id: '2121812108132830614',
        text: 'a post',
        created_ts: 1_794_714_402_598,
        is_reply: false,
        is_quote: true,
        is_retweet: false,
        is_counted: true,
        seen_ts: 1_794_714_403_563,
        deleted_ts: null,
        url: 'https://posts.example/2121812108132830614',
      },
    ],
  });
