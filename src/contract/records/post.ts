import * as z from 'zod';
import { postsVia, timeMs } from './fields.ts';

/** A post of an account (spec 2.3). */
export const postRecord = z
  .object({
    tweet_id: z.string().meta({ description: 'Id of the post on its platform.' }),
    text: z.string().meta({ description: 'Text of the post.' }),
    created_ts: timeMs.meta({ description: 'When the post was made, UTC ms.' }),
    is_reply: z.boolean().nullable().meta({
      description:
        "Whether it replies to a post; null while only the oracle's list shows it, which does not say.",
    }),
    is_quote: z.boolean().nullable().meta({
      description:
        "Whether it quotes a post; null while only the oracle's list shows it, which does not say.",
    }),
    is_retweet: z.boolean().meta({ description: 'Whether it reposts a post.' }),
    is_counted: z
      .boolean()
      .nullable()
      .meta({ description: 'PRO: whether it counts toward settlement. FREE: always null.' }),
    seen_ts: timeMs.meta({ description: 'When this service first saw it, UTC ms.' }),
    deleted_ts: timeMs.nullable().meta({ description: 'When it was found deleted, UTC ms, or null.' }),
    url: z.string().meta({ description: 'Address of the post.' }),
    via: z.enum([...postsVia.options, 'import']).meta({
      description:
        "Where it was found: on the account's timeline, so far only in the settlement oracle's list of posts, or so far only in a file that the operator has imported.",
    }),
    oracle_ts: timeMs.nullable().meta({
      description:
        'PRO: when the settlement oracle took it in, UTC ms; null while that is not known: its list was not seen to show it, or it was more than two days old when the list was first read beside the timeline. FREE: always null.',
    }),
  })
  .meta({
    description: 'A post. A deleted post stays in the list.',
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
        via: 'timeline',
        oracle_ts: 1_794_714_533_204,
      },
    ],
  });
