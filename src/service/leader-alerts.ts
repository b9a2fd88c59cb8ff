import { isAlertCommand, runAlertCommand } from '../alerts/alert-commands.ts';
import type { Alerts } from '../alerts/alerts.ts';
import { type RulesOfKeys, rulesOfKeys } from '../alerts/rules-of-keys.ts';
import { openAccessLog } from '../cluster/access/access-log.ts';
import { shareAlerts } from '../cluster/access/shared-alerts.ts';
import type { AlertsPorts } from '../cluster/commands/answer-commands.ts';
import type { Answered, Asked } from '../cluster/commands/messages.ts';
import type { LeaderPublishing } from '../cluster/engine/publish.ts';
import { ServiceError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { openConfiguredAlerts } from './alerts.ts';
import type { Shutdown } from './shutdown.ts';

type AlertParts = Parameters<typeof openConfiguredAlerts>[0];

interface LeaderAlertsParts extends Omit<AlertParts, 'stored' | 'outputs' | 'tierOf' | 'mayDeliver'> {
  readonly store: Store;
  readonly publishing: Pick<LeaderPublishing, 'access'>;
  /** Whether this engine leads for sure. What another one may send meanwhile is the same, under the same ids. */
  readonly isHeld: () => boolean;
}

interface LeaderAlerts extends AlertsPorts {
  /** Opens the rules, once the engine is open. */
  open(tierOf: AlertParts['tierOf']): Promise<Alerts>;
}

/** The rules of the shard that this engine leads: what it stores of them is on the bus first, for the next leader. */
export function leadAlerts(parts: LeaderAlertsParts, shutdown: Shutdown): LeaderAlerts {
  const { store, publishing, isHeld, log, broken } = parts;
  const changes = openAccessLog({
    store,
    ...publishing.access,
    broken,
    report: (error) => log.error({ err: error }, 'alerts could not be stored, trying again'),
  });
  shutdown.add(() => changes.close());
  let alerts: Alerts | undefined;
  return {
    ofKeys: (keyId, ask) => alerts && answerKey(rulesOfKeys(alerts), keyId, ask),
    operate: (command) => alerts && operate(alerts, command),
    async open(tierOf) {
      const opened = await openConfiguredAlerts(
        {
          ...parts,
          stored: shareAlerts(store.alerts, changes),
          outputs: store.outputs,
          tierOf,
          mayDeliver: isHeld,
        },
        shutdown,
      );
      alerts = opened;
      shutdown.add(async () => {
        alerts = undefined;
      });
      return opened;
    },
  };
}

const NOTHING: Answered<'alerts'> = { rules: [], dead: [], secret: null };

async function answerKey(
  rules: RulesOfKeys,
  keyId: string,
  ask: Asked<'alerts'>['ask'],
): Promise<Answered<'alerts'>> {
  switch (ask.do) {
    case 'list':
      return { ...NOTHING, rules: [...(await rules.list(keyId))] };
    case 'add': {
      const { secret, ...made } = await rules.add(keyId, ask.body);
      return { ...NOTHING, rules: [made], secret };
    }
    case 'remove':
      await rules.remove(keyId, ask.rule);
      return NOTHING;
    case 'dead':
      return { ...NOTHING, dead: [...(await rules.dead(keyId, ask.limit))] };
  }
}

async function operate(alerts: Alerts, command: unknown): Promise<Answered<'operate'>> {
  if (!isAlertCommand(command)) throw new TypeError('an operator asked for what is no command about alerts');
  try {
    return { answer: await runAlertCommand(alerts, command), refusal: null };
  } catch (error) {
    if (error instanceof ServiceError) return { answer: null, refusal: error.message };
    throw error;
  }
}
