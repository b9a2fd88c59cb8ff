import { z } from 'zod';
import { text } from './text.ts';

/** What each kind of asker has to give beside its case. */
const REQUIRED = { agent: ['name', 'wallet'], human: ['email'] } as const;

/**
 * A request for a place on the waitlist (spec 2.8): an agent has to give name and wallet, a human an e-mail
 * address. A null is the same as nothing.
 */
export const waitlistBody = z
  .object({
    type: z.enum(['agent', 'human']).meta({ description: 'Who asks.', examples: ['agent'] }),
    case: text(500).meta({
      description: 'What the service is wanted for.',
      examples: ['Trading weekly post-count markets'],
    }),
    name: text(50, /^[a-zA-Z0-9 _-]+$/)
      .nullish()
      .meta({ description: 'Name of the agent. Required of an agent.', examples: ['count-bot_1'] }),
    wallet: text(42, /^0x[a-fA-F0-9]{40}$/)
      .nullish()
      .meta({
        description: 'Address of the wallet. Required of an agent.',
        examples: ['0x00000000000000000000000000000000000000a1'],
      }),
    email: text(150, /^[^@\s]+@[^@\s]+\.[^@\s]+$/)
      .nullish()
      .meta({ description: 'E-mail address. Required of a human.', examples: ['someone@example.org'] }),
  })
  // Asked only of a body whose fields are sound, as validators of this kind do.
  .superRefine((body, ctx) => {
    for (const name of REQUIRED[body.type]) {
      if (body[name] !== undefined && body[name] !== null) continue;
      ctx.addIssue({ code: 'custom', path: [name], params: { type: 'missing' } });
    }
  })
  .meta({
    description: 'A request for a place on the waitlist.',
    // The check above in the words of JSON Schema.
    anyOf: Object.entries(REQUIRED).map(([type, names]) => ({
      properties: {
        type: { const: type },
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      },
      required: names,
    })),
  });
