import { engineUnavailable } from '../../access/engine-unavailable.ts';
import type { Tier } from '../../access/tiers.ts';
import type { Bus } from '../../bus/bus.ts';
import { BusError, type BusErrorCode } from '../../bus/bus-error.ts';
import type { Time } from '../../bus/time.ts';
import type { PaymentService } from '../../payments/payment-service.ts';
import * as refusals from '../../payments/refusals.ts';
import type { KeptReply, Waitlist } from '../../store/store.ts';
import { createCharges } from './charges.ts';
import type { EngineGrants } from './engine-grants.ts';
import { createKnownCommands, saidOf } from './known-commands.ts';
import {
  type Answered,
  type Asked,
  type CommandName,
  decodeAsked,
  encodeSaid,
  isCommand,
  type Said,
} from './messages.ts';

/** What a call needs that another process answers. */
interface ForwardedCall {
  readonly query: string;
  readonly keyId: string | null;
  readonly ifNoneMatch: string | undefined;
}

/** What the engine of the shard that keeps callers does for edges. */
export interface CallersPorts {
  readonly waitlist: Pick<Waitlist, 'claim'>;
  /** Undefined when no calls are sold. */
  readonly payments: PaymentService | undefined;
  readonly usage: (asked: Asked<'usage'>) => Promise<Answered<'usage'>>;
  readonly grants: EngineGrants;
}

/** What the engine of a shard does about the rules of its accounts. Undefined while they are not open. */
export interface AlertsPorts {
  readonly ofKeys: (keyId: string, ask: Asked<'alerts'>['ask']) => Promise<Answered<'alerts'>> | undefined;
  readonly operate: (command: unknown) => Promise<Answered<'operate'>> | undefined;
}

interface AnswerCommandsDeps {
  readonly bus: Pick<Bus, 'commands'>;
  readonly shard: string;
  readonly time: Time;
  /** UTC ms. */
  readonly now: () => number;
  /** Answers a call to a path, or throws a RequestError. */
  readonly answer: (path: string, call: ForwardedCall, tier: Tier) => Promise<KeptReply>;
  /** Undefined where another shard keeps callers. */
  readonly callers: CallersPorts | undefined;
  /** Absent where there are none. */
  readonly alerts?: AlertsPorts;
}

/** Answers commands until it is stopped; only the leader does. What a command changes is stored before it is answered. */
export function answerCommands(deps: AnswerCommandsDeps): () => void {
  const { bus, shard, time, now, answer, callers, alerts } = deps;
  const claims = createKnownCommands<'claim'>(time);
  const answers = createKnownCommands<'answer'>(time);
  const rules = createKnownCommands<'alerts'>(time);
  const operations = createKnownCommands<'operate'>(time);
  const charges = callers?.payments && createCharges(callers.payments, time);

  function ofCallers(): CallersPorts {
    if (callers === undefined) throw new RangeError(`the shard ${shard} does not keep callers`);
    return callers;
  }

  async function answered({ path, query, keyId, tier, ifNoneMatch }: Asked<'answer'>): Promise<KeptReply> {
    const call = { query, keyId, ifNoneMatch: ifNoneMatch ?? undefined };
    const { status, headers, body } = await answer(path, call, tier);
    return { status, headers, body };
  }

  const does: { readonly [Name in CommandName]: (asked: Asked<Name>) => Promise<Said<Name>> } = {
    claim: ({ id, entry }) => claims.run(id, () => ofCallers().waitlist.claim(entry, now())),
    answer: (asked) => answers.run(asked.id, () => answered(asked)),
    charge: async (asked) =>
      charges === undefined ? { kind: 'refused', error: refusals.unavailable() } : charges.charge(asked),
    async sent({ id }) {
      charges?.sent(id);
      return { kind: 'done', result: {} };
    },
    usage: (asked) => saidOf<'usage'>(ofCallers().usage(asked)),
    grants: async ({ edge, messages }) => ({
      kind: 'done',
      result: { messages: [...(await ofCallers().grants.receive(edge, messages))] },
    }),
    listen: async ({ edge }) => ({
      kind: 'done',
      result: { messages: [...(await ofCallers().grants.listen(edge))] },
    }),
    alerts: ({ id, keyId, ask }) => rules.run(id, () => alerts?.ofKeys(keyId, ask) ?? unavailable()),
    operate: ({ id, command }) => operations.run(id, () => alerts?.operate(command) ?? unavailable()),
  };

  const run = async <Name extends CommandName>(name: Name, body: Uint8Array): Promise<Uint8Array> =>
    encodeSaid(await does[name](decodeAsked(name, body)).catch(refuseIfOver));

  return bus.commands.answer(shard, (name, body) => {
    if (!isCommand(name)) throw new RangeError(`there is no command ${name}`);
    return run(name, body);
  });
}

async function unavailable(): Promise<never> {
  throw engineUnavailable();
}

/** With these a leader learns that it leads no more. Another one can be asked soon. */
const OVER: readonly BusErrorCode[] = ['BUS_FENCED', 'BUS_TAIL_LOST', 'BUS_CLOSED'];

/** What is refused for that reason is nobody's fault. */
function refuseIfOver(error: unknown): Extract<Said<CommandName>, { kind: 'refused' }> {
  if (error instanceof BusError && OVER.includes(error.code))
    return { kind: 'refused', error: engineUnavailable() };
  throw error;
}
