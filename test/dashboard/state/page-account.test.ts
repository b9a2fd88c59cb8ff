import assert from 'node:assert/strict';
import {
  accountsMatching,
  isOneAtATime,
  type PageAccount,
  readAccounts,
  shownTogether,
} from '../../../src/dashboard/state/page-account.ts';

const many = Array.from({ length: 200 }, (_, index): PageAccount => {
  return { account: `account_${index}`, name: `Person ${index}`, sizing: true };
});

describe('the accounts of the page', () => {
  it('are shown together while they are few', () => {
    const few = many.slice(0, 4);
    assert.equal(isOneAtATime(few), false);
    assert.deepEqual(
      shownTogether(few, 'account_2'),
      few.map(({ account }) => account),
    );
  });

  it('are shown one at a time when they are many: the chosen one, else the first', () => {
    assert.equal(isOneAtATime(many), true);
    assert.deepEqual(shownTogether(many, 'account_150'), ['account_150']);
    assert.deepEqual(shownTogether(many, 'gone'), ['account_0']);
    assert.deepEqual(shownTogether(many, undefined), ['account_0']);
    assert.deepEqual(shownTogether([], undefined), []);
  });

  it('are found by words of their name or segment, in any order and case', () => {
    const found = (text: string) => accountsMatching(many, text).map(({ account }) => account);
    assert.deepEqual(found('199 PERSON'), ['account_199']);
    assert.deepEqual(found('account_17'), [
      'account_17',
      ...Array.from({ length: 10 }, (_, n) => `account_17${n}`),
    ]);
    assert.equal(found(' ').length, 200);
    assert.deepEqual(found('nobody'), []);
  });

  it('are read from the attribute of the page', () => {
    assert.deepEqual(readAccounts(JSON.stringify(many)), many);
    assert.deepEqual(readAccounts(undefined), []);
  });
});
