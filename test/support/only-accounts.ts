import {
  type AccountId,
  createRunner,
  emptyState,
  type Fact,
  type Observation,
} from '../../streams/internal.ts';

/** A log, and what the streams make of it, without all accounts but some. */

/**
 * The log as it would be if nobody had followed other accounts than these: without facts about the others. Every
 * observation keeps its place and its time.
 */
export function onlyAccounts(
  log: readonly Observation[],
  isFollowed: (account: AccountId) => boolean,
): readonly Observation[] {
  const owners = eventOwners(log);
  const isKept = (account: AccountId | undefined) => account === undefined || isFollowed(account);
  return log.flatMap((observation) => {
    const { fact } = observation;
    if (!isKept(ownerOf(fact, owners))) return [];
    return [{ ...observation, fact: withoutOthers(fact, isKept) }];
  });
}

function withoutOthers(fact: Fact, isKept: (account: AccountId | undefined) => boolean): Fact {
  const ofKept = <T>(sources: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(sources).filter(([source]) => isKept(source.split(':')[1])));
  switch (fact.kind) {
    case 'settings':
      return { ...fact, accounts: fact.accounts.filter(({ id }) => isKept(id)) };
    case 'tick': {
      const { lagging, ...tick } = fact;
      const late = ofKept(lagging ?? {});
      const ages = ofKept(tick.ages);
      return { ...tick, ages, ...(Object.keys(late).length > 0 && { lagging: late }) };
    }
    default:
      return fact;
  }
}

type Owners = ReadonlyMap<number, AccountId>;

/** The account that each event of posts is about. */
function eventOwners(log: readonly Observation[]): Owners {
  return new Map(
    log.flatMap(({ fact }) =>
      fact.kind === 'event' && fact.subject.type === 'posts' ? [[fact.eventId, fact.subject.account]] : [],
    ),
  );
}

/** The account of a fact or a record; undefined when it is about none, or about all. */
function ownerOf(about: Fact | object, owners: Owners): AccountId | undefined {
  if ('account' in about && typeof about.account === 'string') return about.account;
  return 'eventId' in about && typeof about.eventId === 'number' ? owners.get(about.eventId) : undefined;
}

/** Everything that the streams emit about these accounts, as lines of JSON, by stream. */
export function accountOutputs(
  log: readonly Observation[],
  isFollowed: (account: AccountId) => boolean,
): ReadonlyMap<string, readonly string[]> {
  const owners = eventOwners(log);
  const lines = new Map<string, string[]>();
  const { run } = createRunner(emptyState());
  for (const observation of log) {
    for (const output of run(observation)) {
      const owner = ownerOf(output.record, owners);
      if (owner === undefined || !isFollowed(owner)) continue;
      const known = lines.get(output.stream) ?? [];
      known.push(JSON.stringify(output));
      lines.set(output.stream, known);
    }
  }
  return lines;
}
