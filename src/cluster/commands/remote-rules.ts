import type { AlertRuleBody } from '../../contract/alert-rule.ts';
import { unknownAccount } from '../../contract/unknown-account.ts';
import { InvalidRequest } from '../../contract/validation/validate.ts';
import { RequestError } from '../../errors.ts';
import type { AskEngine } from './ask-engine.ts';
import type { Answered, Asked } from './messages.ts';

interface RemoteRulesDeps {
  readonly ask: AskEngine;
  /** A name that no two calls ever give. */
  readonly newId: () => string;
  /** Every shard, each once. */
  readonly shards: readonly string[];
  readonly accounts: readonly { readonly segment: string }[];
  /** The shard of an account; undefined of one that there is not. */
  readonly shardOf: (segment: string) => string | undefined;
}

/** A rule is stored in milliseconds, or its engine is being replaced. */
const PATIENCE_MS = 2_000;

/** The rules of keys, which the leading engines of the shards keep: each those of its accounts. */
export function createRemoteRules({ ask, newId, shards, accounts, shardOf }: RemoteRulesDeps) {
  const of = (shard: string, keyId: string, what: Asked<'alerts'>['ask']): Promise<Answered<'alerts'>> =>
    ask.until(shard, 'alerts', { id: newId(), keyId, ask: what }, PATIENCE_MS);
  const ofAll = (keyId: string, what: Asked<'alerts'>['ask']) =>
    Promise.all(shards.map((shard) => of(shard, keyId, what)));

  return {
    async list(keyId: string): Promise<Answered<'alerts'>['rules']> {
      const found = await ofAll(keyId, { do: 'list' });
      return found
        .flatMap(({ rules }) => rules)
        .sort((a, b) => a.created_ts - b.created_ts || (a.id < b.id ? -1 : 1));
    },

    async add(keyId: string, body: AlertRuleBody) {
      const shard = shardOf(body.account);
      if (shard === undefined) throw new InvalidRequest([unknownAccount(accounts)]);
      const { rules, secret } = await of(shard, keyId, { do: 'add', body });
      const [made] = rules;
      if (made === undefined) throw new TypeError('the engine has made a rule and does not tell which');
      return { ...made, secret };
    },

    /** The shard that has the rule is not known here. */
    async remove(keyId: string, id: string): Promise<void> {
      for (const shard of shards) {
        const isThere = await of(shard, keyId, { do: 'remove', rule: id }).then(() => true, unlessUnknown);
        if (isThere) return;
      }
      throw new RequestError(404, 'alert_unknown', 'There is no such rule');
    },

    async dead(keyId: string, limit: number): Promise<Answered<'alerts'>['dead']> {
      const found = await ofAll(keyId, { do: 'dead', limit });
      return found
        .flatMap(({ dead }) => dead)
        .sort((a, b) => b.ts - a.ts || b.n - a.n)
        .slice(0, limit);
    },
  };
}

function unlessUnknown(error: unknown): false {
  if (error instanceof RequestError && error.code === 'alert_unknown') return false;
  throw error;
}
