import assert from 'node:assert/strict';
import { EMPTY, from, NEVER, Subject, take } from 'rxjs';
import {
  type ActorFailure,
  type ActorStates,
  actors,
  type Behaviour,
} from '../../../streams/operators/actors.ts';
import { marbles } from '../../support/marbles.ts';

interface Counter {
  sum: number;
}

/** `xy:4` adds 4 to x and to y, `*:4` to all alive. 13 throws after emitting, 99 throws at birth, 0 does not wake. */
const adder: Behaviour<string, Counter, string> = {
  name: 'adder',
  address: (message) => {
    if (!message.includes(':')) throw new Error('no address');
    return message.startsWith('*') ? 'everyone' : [...message.slice(0, message.indexOf(':'))];
  },
  spawn: (_key, message) => {
    if (message.endsWith(':99')) throw new Error('stillborn');
    return message.endsWith(':0') ? undefined : { sum: 0 };
  },
  receive: (state, message, emit, key) => {
    const amount = Number(message.slice(message.indexOf(':') + 1));
    state.sum += amount;
    emit(`${key}=${state.sum}`);
    if (amount === 13) throw new Error('unlucky');
    if (amount === 2) emit(`${key} by two`);
  },
  isRetired: (state) => state.sum >= 1_000,
};

function start(states: ActorStates<Counter> = new Map()) {
  const failures: ActorFailure[] = [];
  const operator = actors(adder, states, (failure) => failures.push(failure));
  const send = (...messages: string[]) => {
    const outputs: string[] = [];
    from(messages)
      .pipe(operator)
      .subscribe((output) => outputs.push(output));
    return outputs;
  };
  return { operator, send, failures, states };
}

describe('actors', () => {
  it('emits in the frame of the message and ends with the messages', () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const message$ = hot('a-b---c----|', { a: 'x:1', b: 'yx:3', c: 'x:2' });
      const expected = '    1-(23)(45)-|';
      const values = { 1: 'x=1', 2: 'y=3', 3: 'x=4', 4: 'x=6', 5: 'x by two' };
      expectObservable(message$.pipe(start().operator)).toBe(expected, values);
      expectSubscriptions(message$.subscriptions).toBe('^----------!');
    }));

  it('passes an error of the messages on', () =>
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-a-#', { a: 'x:1' }).pipe(start().operator)).toBe('-a-#', { a: 'x=1' });
    }));

  it('emits nothing when no message comes, and ends when there is none to come', () =>
    marbles(({ expectObservable }) => {
      expectObservable(NEVER.pipe(start().operator)).toBe('-');
      expectObservable(EMPTY.pipe(start().operator)).toBe('|');
    }));

  it('lets go of the messages when it is unsubscribed', () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const message$ = hot('-a-b-c', { a: 'x:1', b: 'x:1', c: 'x:1' });
      expectObservable(message$.pipe(start().operator, take(2))).toBe('-a-(b|)', { a: 'x=1', b: 'x=2' });
      expectSubscriptions(message$.subscriptions).toBe('^--!');
    }));

  it('handles nothing after it was unsubscribed, even of messages that all come at once', () => {
    const { operator, states } = start();
    from(['x:1', 'x:1', 'x:1']).pipe(operator, take(1)).subscribe();
    assert.deepEqual(states, new Map([['x', { sum: 1 }]]));
  });

  it('wakes no actor for everyone, nor one whose spawn declines', () => {
    const { send, states } = start();
    assert.deepEqual(send('*:1', 'x:0', 'x:1', '*:1', 'x:0'), ['x=1', 'x=2', 'x=2']);
    assert.deepEqual([...states.keys()], ['x']);
  });

  it('goes on from the states it is given', () => {
    assert.deepEqual(start(new Map([['x', { sum: 40 }]])).send('x:2', 'y:1'), ['x=42', 'x by two', 'y=1']);
  });

  it('removes a retired actor, and spawns it again', () => {
    const { send, states } = start();
    assert.deepEqual(send('x:1000'), ['x=1000']);
    assert.equal(states.size, 0);
    assert.deepEqual(send('x:1'), ['x=1']);
  });

  it('puts an actor that throws out of service, drops what it emitted and reports it once', () => {
    const { send, failures, states } = start();
    assert.deepEqual(send('x:1', 'y:1', 'xy:13', 'x:1', '*:1', 'z:1', 'x:13'), ['x=1', 'y=1', 'z=1']);
    assert.deepEqual(
      failures.map(({ actor, error }) => [actor, String(error)]),
      [
        ['adder:x', 'Error: unlucky'],
        ['adder:y', 'Error: unlucky'],
      ],
    );
    assert.deepEqual(
      states,
      new Map([
        ['x', null],
        ['y', null],
        ['z', { sum: 1 }],
      ]),
    );
  });

  it('lets the siblings of a failed actor receive the same message', () => {
    const { send, failures } = start(
      new Map([
        ['x', null],
        ['y', { sum: 0 }],
      ]),
    );
    assert.deepEqual(send('*:1', 'xy:1'), ['y=1', 'y=2']);
    assert.deepEqual(failures, []);
  });

  it('treats an actor that cannot be spawned as one that failed', () => {
    const { send, failures, states } = start();
    assert.deepEqual(send('xy:99', 'x:1', 'z:1'), ['z=1']);
    assert.deepEqual(
      failures.map(({ actor }) => actor),
      ['adder:x', 'adder:y'],
    );
    assert.equal(states.get('x'), null);
  });

  it('reports a message that cannot be addressed, and handles the next', () => {
    const { send, failures } = start();
    assert.deepEqual(send('x:1', 'nonsense', 'x:1'), ['x=1', 'x=2']);
    assert.deepEqual(
      failures.map(({ actor, error }) => [actor, String(error)]),
      [['adder', 'Error: no address']],
    );
  });

  it('takes a message that its own output brings at once, and loses nothing of the first', () => {
    const message$ = new Subject<string>();
    const outputs: string[] = [];
    message$.pipe(start().operator).subscribe((output) => {
      outputs.push(output);
      if (output === 'x=2') message$.next('y:1');
    });
    message$.next('x:2');
    assert.deepEqual(outputs, ['x=2', 'y=1', 'x by two']);
  });
});
