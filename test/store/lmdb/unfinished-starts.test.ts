import assert from 'node:assert/strict';
import {
  noteDamage,
  noteFinished,
  noteSettled,
  noteStart,
  REFUSED,
  SUSPICIOUS,
  unfinishedStarts,
} from '../../../src/store/lmdb/unfinished-starts.ts';
import { withFolder } from '../../support/store-records.ts';

const tell = () => assert.fail('told');

describe('unfinishedStarts', () => {
  it('suspects a store after two short lives, or four longer ones, until one ends in order', () =>
    withFolder(async (folder) => {
      for (let life = 1; life <= 2; life++) noteStart(folder);
      assert.equal(unfinishedStarts(folder).count, SUSPICIOUS);
      noteFinished(folder, tell);
      assert.equal(unfinishedStarts(folder).count, 0);
      for (let life = 1; life <= 4; life++) {
        assert.ok(unfinishedStarts(folder).count < SUSPICIOUS);
        noteStart(folder);
        noteSettled(folder, tell);
      }
      assert.equal(unfinishedStarts(folder).count, SUSPICIOUS);
    }));

  it('refuses no store on which every life went well for a while', () =>
    withFolder(async (folder) => {
      for (let life = 1; life <= 20; life++) {
        noteStart(folder);
        noteSettled(folder, tell);
        assert.ok(unfinishedStarts(folder).count < REFUSED);
      }
      noteStart(folder);
      assert.ok(unfinishedStarts(folder).count >= REFUSED);
    }));

  it('counts a life that found damage although it ended in order, so that a third start is refused', () =>
    withFolder(async (folder) => {
      for (let life = 1; life <= 3; life++) {
        assert.ok(unfinishedStarts(folder).count < REFUSED);
        noteStart(folder);
        noteDamage(folder, 'a row is bad', tell);
        noteFinished(folder, tell);
      }
      assert.deepEqual(unfinishedStarts(folder), { count: REFUSED, damage: 'a row is bad' });
    }));
});
