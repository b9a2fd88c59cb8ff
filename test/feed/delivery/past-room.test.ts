import assert from 'node:assert/strict';
import { createPastRoom, type PastRoom } from '../../../src/feed/delivery/past-room.ts';
import { Reader } from '../../../src/feed/delivery/reader.ts';

/** A reader of which only what waits for it matters. */
class WaitingReader extends Reader {
  readonly caller: string;
  readonly hasKey: boolean;
  unsent = 0;
  taken = 0;
  wasTooSlow = false;

  constructor(hasKey = false) {
    super();
    this.caller = hasKey ? 'key 1' : '1.2.3.4';
    this.hasKey = hasKey;
  }

  take(bytes: number): void {
    this.unsent -= bytes;
    this.taken += bytes;
  }

  override unsentBytes = () => this.unsent;
  override takenBytes = () => this.taken;
  override write = () => true;
  override cork(): void {}
  override uncork(): void {}
  override onceDrained(): void {}
  override closeTooSlow(): void {
    this.wasTooSlow = true;
    this.status = 'closed';
  }
}

const ROOM = 200;
/** That of readers without a key. */
const SHARE = ROOM / 2;

describe('the room for what waits of the past', () => {
  let now: number;
  let room: PastRoom;
  beforeEach(() => {
    now = 0;
    room = createPastRoom(() => now, ROOM);
  });

  function send(reader: WaitingReader, bytes: number): void {
    reader.unsent += bytes;
    room.wrote(reader);
  }

  it('is shared by all readers, and there again when they have taken what waited', () => {
    const [first, second, third] = [new WaitingReader(), new WaitingReader(), new WaitingReader()];
    send(first, SHARE / 2);
    assert.equal(room.hasRoomFor(second), true);
    send(second, SHARE / 2);
    assert.equal(room.hasRoomFor(third), false);
    first.take(SHARE / 2);
    room.recount();
    assert.equal(room.hasRoomFor(third), true);
    assert.equal(room.isWaitedFor, true);
    second.take(SHARE / 2);
    room.recount();
    assert.equal(room.isWaitedFor, false);
  });

  it('counts what waits for a reader once, however often it is written to', () => {
    const reader = new WaitingReader();
    for (let writes = 0; writes < 9; writes++) send(reader, SHARE / 10);
    assert.equal(room.hasRoomFor(new WaitingReader()), true);
    send(reader, SHARE / 10);
    assert.equal(room.hasRoomFor(new WaitingReader()), false);
  });

  it('is not taken by a reader who takes everything at once', () => {
    const reader = new WaitingReader();
    for (let writes = 0; writes < 100; writes++) room.wrote(reader);
    assert.equal(room.isWaitedFor, false);
  });

  it('of readers with a key is not taken by those without', () => {
    send(new WaitingReader(), ROOM);
    assert.equal(room.hasRoomFor(new WaitingReader()), false);
    assert.equal(room.hasRoomFor(new WaitingReader(true)), true);
  });

  it('is taken from readers who took nothing for 10 s while others waited for it, and from no others', () => {
    const [stalled, slow, other] = [new WaitingReader(), new WaitingReader(), new WaitingReader()];
    const known = new WaitingReader(true);
    for (const reader of [stalled, slow]) send(reader, SHARE);
    send(known, SHARE / 2);
    now = 9_000;
    slow.take(1);
    assert.equal(room.hasRoomFor(other), false);
    room.recount();
    now = 11_000;
    room.recount();
    assert.equal(stalled.wasTooSlow, false, 'nobody waited since the last count');
    assert.equal(room.hasRoomFor(other), false);
    room.recount();
    assert.deepEqual(
      [stalled, slow, known].map(({ wasTooSlow }) => wasTooSlow),
      [true, false, false],
    );
    slow.take(SHARE / 2);
    room.recount();
    assert.equal(room.hasRoomFor(other), true);
  });

  it('is there again when a reader has gone', () => {
    const gone = new WaitingReader();
    send(gone, SHARE);
    gone.status = 'closed';
    room.recount();
    assert.equal(room.hasRoomFor(new WaitingReader()), true);
    assert.equal(room.isWaitedFor, false);
  });
});
