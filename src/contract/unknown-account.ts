import type { Fault } from '../errors.ts';
import { firstNames } from './first-names.ts';

/** Of a body that names an account that is none of these. */
export function unknownAccount(accounts: readonly { readonly segment: string }[]): Fault {
  const msg = `Input should be one of ${firstNames(accounts.map(({ segment }) => `'${segment}'`))}`;
  return { loc: ['body', 'account'], msg, type: 'enum' };
}
