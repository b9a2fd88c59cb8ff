import assert from 'node:assert/strict';
import fc from 'fast-check';
import { callerAddress, clientAddressOf, isLoopback, proxiesOf } from '../../src/access/client-address.ts';
import { request } from './request.ts';

describe('callerAddress', () => {
  const same: readonly (readonly [string, string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ];
  for (const [address, caller] of same) {
    it(`counts ${address} as ${caller}`, () => assert.equal(callerAddress(address), caller));
  }

  it('counts all of a /64 as one, however it is written', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const whole = groups.map((group) => group.toString(16));
        const padded = groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase());
        const other = [...whole.slice(0, 4), '1', '2', '3', '4'];
        // An IPv4 address in disguise has no /64.
        fc.pre(groups.slice(0, 5).some((group) => group !== 0));
        assert.equal(callerAddress(whole.join(':')), callerAddress(padded.join(':')));
        assert.equal(callerAddress(whole.join(':')), callerAddress(other.join(':')));
      }),
    );
  });
});

describe('clientAddressOf', () => {
  const clientOf = (peer: string, forwardedFor: string | undefined, trusted = proxies) =>
    clientAddressOf(
      request(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }, peer),
      trusted,
    );
  const proxies = proxiesOf(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ['198.51.100.1', '6.6.6.6', '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '6.6.6.6, 198.51.100.1,10.1.1.1 , 192.0.2.7', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['10.0.0.1', '6.6.6.6, nonsense, 10.0.0.3', '10.0.0.3'],
    ['10.0.0.1', '6.6.6.6,,', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['fd00::1', '[2001:db8::5]:80', '2001:db8:0:0::/64'],
    ['fd00::1', '2001:db8::5', '2001:db8:0:0::/64'],
    ['192.0.2.7', 'unknown', '192.0.2.7'],
    ['192.0.2.8', '1.2.3.4', '192.0.2.8'],
  ];
  for (const [peer, header, client] of rows) {
    it(`takes ${client} for the caller behind ${peer} that forwards ${header}`, () =>
      assert.equal(clientOf(peer, header), client));
  }

  it('ignores X-Forwarded-For when no proxy is trusted', () => {
    assert.equal(clientOf('127.0.0.1', '6.6.6.6', proxiesOf([])), '127.0.0.1');
  });

  it('never takes what an outsider wrote, whatever stands left of the last hop', () => {
    fc.assert(
      fc.property(fc.string(), (forged) => {
        assert.equal(clientOf('10.0.0.1', `${forged}, 198.51.100.1`), '198.51.100.1');
        assert.equal(clientOf('198.51.100.1', forged), '198.51.100.1');
      }),
    );
  });
});

describe('proxiesOf', () => {
  it('refuses a text that is no network', () => {
    for (const network of ['', 'x', '10.0.0.0/33', '::/129', '1.2.3.4/', '1.2.3.4/8/8', '10.0.0.0/-1']) {
      assert.throws(() => proxiesOf([network]), RangeError, network);
    }
  });
});

describe('isLoopback', () => {
  it('recognises this machine by address and name, and no name that merely looks like it', () => {
    const hosts = [
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      'localhost',
      '0.0.0.0',
      '::',
      '10.0.0.1',
      '127.0.0.1.test',
    ];
    assert.deepEqual(hosts.map(isLoopback), [true, true, true, true, false, false, false, false]);
  });
});
