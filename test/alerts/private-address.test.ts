import assert from 'node:assert/strict';
import { isPrivateAddress, namesPrivateAddress } from '../../src/alerts/private-address.ts';

describe('private addresses', () => {
  it('are all that only this machine or its network can reach', () => {
    const addresses = [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.0.9', '169.254.169.254', '172.16.0.1'],
      ...['172.31.255.255', '192.168.1.1', '198.18.0.1', '203.0.113.5', '224.0.0.1', '255.255.255.255'],
      ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '64:ff9b::7f00:1'],
      ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '2002:7f00:1::', '2001:db8::1', '2001::1', 'no address', ''],
    ];
    for (const address of addresses) assert.ok(isPrivateAddress(address), address);
  });

  it('are no others', () => {
    for (const address of [
      '8.8.8.8',
      '1.1.1.1',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700::1111',
      '2a00:1450::1',
    ]) {
      assert.ok(!isPrivateAddress(address), address);
    }
  });

  it('are found in addresses however they are written there', () => {
    const urls = [
      ...[
        'http://127.1/',
        'http://2130706433/',
        'http://0x7f.1/',
        'http://[::1]/',
        'http://localhost:8080/x',
      ],
      ...['https://LOCALHOST./', 'http://a.localhost/', 'http://printer.local/', 'http://[::ffff:10.0.0.1]/'],
    ];
    for (const url of urls) assert.ok(namesPrivateAddress(url), url);
    for (const url of ['https://bot.example/', 'https://8.8.8.8/']) assert.ok(!namesPrivateAddress(url), url);
  });
});
