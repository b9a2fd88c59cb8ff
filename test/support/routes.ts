import * as z from 'zod';
import type { PublicAccount } from '../../src/contract/account.ts';
import { accountsWith, isPerAccount, type Operation } from '../../src/contract/operation.ts';

interface ServedRoute {
  readonly path: string;
  readonly operation: Operation;
  /** The parameters that this path takes. */
  readonly query: z.ZodObject | undefined;
}

/** The operations with each account's path in place of `{account}`; the event is the first of the first account, 2 of the second. */
export function routesOf(
  operations: readonly Operation[],
  accounts: readonly PublicAccount[],
): readonly ServedRoute[] {
  return operations.flatMap((operation): readonly ServedRoute[] => {
    const { path, query } = operation;
    if (!isPerAccount(operation)) return [{ path, operation, query }];
    return accountsWith(operation, accounts).map((account) => ({
      path: path
        .replace('{account}', account.segment)
        .replace('{event}', String(accounts.indexOf(account) + 1)),
      operation,
      query: queryFor(operation, account),
    }));
  });
}

function queryFor({ query, parameterNeeds = {} }: Operation, { policy }: PublicAccount) {
  const isTaken = (name: string) => {
    const needs = parameterNeeds[name];
    return needs === undefined || policy[needs];
  };
  return query && z.object(Object.fromEntries(Object.entries(query.shape).filter(([name]) => isTaken(name))));
}
