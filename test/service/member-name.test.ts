import assert from 'node:assert/strict';
import { memberName } from '../../src/service/member-name.ts';

describe('memberName', () => {
  it('is the same after a restart, and another one for each folder and role', () => {
    assert.equal(memberName('edge', 'data'), memberName('edge', './data/'));
    assert.notEqual(memberName('edge', 'data'), memberName('edge', 'other'));
    assert.match(memberName('engine', 'data'), /^engine-[0-9a-f]{16}$/);
    assert.notEqual(memberName('engine', 'data'), memberName('edge', 'data'));
  });
});
