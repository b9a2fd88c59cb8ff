import { Command } from 'commander';
import { loadSettings } from './load-config.ts';
import { addManual, type Manual } from './manual.ts';
import { openData } from './open-data.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';

const SETTINGS_READ = ['data', 'json'] as const;

const EXIT_CODES: Manual['exitCodes'] = [
  [0, 'listed'],
  [1, 'there is no store, or it cannot be read'],
  [2, 'bad usage or configuration'],
];

async function list(
  settings: Readonly<Record<string, unknown>>,
  { env, stdout }: ProcessLike,
): Promise<void> {
  const { data, json } = loadSettings(SETTINGS_READ, { flags: settings, env });
  const [{ listPayments }, { paymentsTable }] = await Promise.all([
    import('../payments/listed-payment.ts'),
    import('./payments-table.ts'),
  ]);
  const store = await openData(data);
  try {
    const now = Date.now();
    const payments = listPayments(store.payments, now);
    if (!json) stdout.write(paymentsTable(payments, now));
    else for (const each of payments) stdout.write(`${JSON.stringify({ type: 'payment', ...each })}\n`);
  } finally {
    await store.close();
  }
}

export function paymentsCommand(proc: ProcessLike): Command {
  const listCommand = new Command('list').action((settings: Readonly<Record<string, unknown>>) =>
    list(settings, proc),
  );
  addManual(addSettings(listCommand, SETTINGS_READ), {
    summary: 'list the payments that are not over',
    description:
      'Shows state, payer, amount, resource, age, the last answer of the facilitator and the nonce of each payment ' +
      'whose outcome is not known yet, and of each that was settled but whose answer nobody fetched; oldest first. An ' +
      '`unresolved` one waits for an operator: look up its nonce on the chain, or configure a node.',
    examples: [
      ['tallywire payments list', 'those of the folder .tallywire, beside a running engine too'],
      ['tallywire payments list --json', 'one JSON object a line, with the id that the log names'],
    ],
    exitCodes: EXIT_CODES,
  });
  return addManual(new Command('payments').addCommand(listCommand), {
    summary: 'list payments that are not over',
    description:
      'Reads the data folder whether an engine runs on it or not, and changes nothing. `tallywire payments COMMAND ' +
      '--help` describes a command.',
    examples: [['tallywire payments list', 'see which payments wait for their outcome']],
    exitCodes: EXIT_CODES,
  });
}
