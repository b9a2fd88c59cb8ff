import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { openWay, seqsOf, setUpReaders } from '../readers.ts';

const STEPS_PER_TURN = 8;

describe('readers who come back', () => {
  it('a long way are told every frame, a few of them at a time, while others go on', async () => {
    const { subscribe, resume, tell } = setUpReaders();
    const present = openWay();
    subscribe(present.reader, 'test');
    for (let told = 0; told < 500; told++) tell('test');
    await turn();
    const back = Array.from({ length: 40 }, openWay);
    for (const [place, { reader }] of back.entries()) resume(reader, 'test', place);
    tell('test');
    const sendings = () => back.reduce((sum, way) => sum + way.sendings.length, 0);
    let isPresentTold = false;
    for (let before = 0; ; before = sendings()) {
      await turn();
      assert.ok(sendings() - before <= STEPS_PER_TURN, `${sendings() - before} were written to in a turn`);
      if (sendings() === before) break;
      isPresentTold ||= seqsOf(present.frames()).includes(501) && sendings() < back.length;
    }
    assert.ok(isPresentTold, 'who was up to date had to wait for the others');
    for (const [place, way] of back.entries()) {
      assert.deepEqual(
        way.frames().map(({ type, seq, prev_seq }) => [type, seq, prev_seq]),
        Array.from({ length: 501 - place }, (_, index) => ['update', place + index + 1, place + index]),
      );
    }
  });

  it('and leave again are told nothing more', async () => {
    const { resume, tell } = setUpReaders();
    for (let told = 0; told < 300; told++) tell('test');
    await turn();
    const back = openWay();
    resume(back.reader, 'test', 0);
    await turn();
    const heard = back.frames().length;
    assert.ok(heard > 0 && heard < 300);
    back.reader.isClosed = true;
    for (let turns = 0; turns < 10; turns++) await turn();
    assert.equal(back.frames().length, heard);
  });
});
