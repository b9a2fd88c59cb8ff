import { createRng, type Rng } from '../rng.ts';
import type { PostKind } from './post-kind.ts';
import { snowflake } from './snowflake.ts';

type Words = readonly [string, ...string[]];

const SUBJECTS: Words = [
  'the new rocket stage',
  'our night train',
  'this battery pack',
  'the harbour bridge',
  'a very small robot',
  'the city library',
  'the solar roof',
  'this chess engine',
  'the weather balloon',
  'the tunnel project',
  'my sourdough',
  'the telescope array',
  'the old compiler',
  'the next release',
];
const VERBS: Words = [
  'just passed its test',
  'is ahead of schedule',
  'is harder than it looks',
  'works better than expected',
  'needs another week',
  'broke again, of course',
  'is the best part of the day',
  'will be open to everyone soon',
  'surprised all of us',
  'makes no sense and that is fine',
];
const CLOSINGS: Words = [
  '',
  '',
  '',
  ' 🚀',
  ' 😂',
  ' 🔥🔥',
  ' 💯',
  '!',
  ' …',
  ' 👀',
  '\n\nMore soon.',
  ' (really)',
  ' 🤖',
];
const REACTIONS: Words = [
  'True',
  'Exactly',
  'Interesting',
  'Wow',
  'This is important',
  'Worth reading',
  'Good point',
  'Looking into this',
  'Yes 😂',
  'Concerning',
  'Well said',
  '🎯',
  '!!',
];
const LONG_SENTENCES: Words = [
  'The first version took four months and nobody believed it would ever leave the workshop.',
  'What helped was measuring one thing at a time and writing every number down.',
  'Half of the parts were not needed, and the other half had to be made twice.',
  'The people on the night shift found the fault, not the instruments.',
  'Costs fell by a third once we stopped moving things around the building.',
  'There is still a lot to do before the winter, most of it not glamorous at all.',
];

/** A post of another account that a repost, quote or reply refers to. */
export interface Referenced {
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
  readonly author: { readonly id: string; readonly handle: string; readonly name: string };
  /** Gone in the meantime: the posts API names it in `errors`. */
  readonly isMissing: boolean;
}

function sentence(rng: Rng): string {
  const subject = rng.pick(SUBJECTS);
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${rng.pick(VERBS)}${rng.pick(CLOSINGS)}`;
}

export function referencedBy(postId: string, createdAt: number): Referenced {
  const rng = createRng('referenced', postId);
  const number = rng.int(1, 60);
  const at = createdAt - rng.int(40, 36_000) * 1000;
  const more = rng.chance(0.4) ? ` ${rng.pick(LONG_SENTENCES)}` : '';
  return {
    id: snowflake(at, postId),
    text: `${sentence(rng)}${more}`,
    createdAt: at,
    author: { id: String(2_000_000_000 + number), handle: `reader_${number}`, name: `Reader ${number}` },
    isMissing: rng.chance(0.02),
  };
}

/** The whole text of a generated post; the posts API may cut it. */
export function textOf(kind: PostKind, id: string, createdAt: number): string {
  const rng = createRng('text', id);
  if (kind === 'repost' || kind === 'communityRepost') {
    const { author, text } = referencedBy(id, createdAt);
    return `RT @${author.handle}: ${text}`;
  }
  if (kind === 'reply' || kind === 'quotingReply') {
    return `@${referencedBy(id, createdAt).author.handle} ${rng.pick(REACTIONS)}`;
  }
  if (kind === 'quote') return rng.chance(0.6) ? rng.pick(REACTIONS) : sentence(rng);
  if (rng.chance(0.06)) {
    const body = Array.from({ length: rng.int(4, 9) }, () => rng.pick(LONG_SENTENCES));
    return `${sentence(rng)}\n\n${body.join(' ')}`;
  }
  return rng.chance(0.3) ? `${sentence(rng)}. ${sentence(rng)}` : sentence(rng);
}
