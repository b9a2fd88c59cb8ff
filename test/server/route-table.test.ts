import assert from 'node:assert/strict';
import { createRouteTable } from '../../src/server/route-table.ts';

describe('createRouteTable', () => {
  const table = createRouteTable([
    { path: '/a', method: 'GET', handler: 'get a' },
    { path: '/a', method: 'POST', handler: 'post a' },
    { path: '/b', method: 'POST', handler: 'post b' },
  ]);

  it('finds what answers a method on exactly this path', () => {
    assert.equal(table.find('/a', 'GET'), 'get a');
    assert.equal(table.find('/a', 'POST'), 'post a');
    for (const path of ['/', '/A', '/a/', '//a', '/%61', '/a.', 'a', '/constructor']) {
      assert.equal(table.find(path, 'GET'), undefined, path);
    }
  });

  it('answers HEAD where it answers GET', () => {
    assert.equal(table.find('/a', 'HEAD'), 'get a');
    assert.equal(table.find('/b', 'HEAD'), undefined);
  });

  it('knows the methods of a path, and all paths', () => {
    assert.deepEqual([...table.methodsOf('/a')].sort(), ['GET', 'HEAD', 'POST']);
    assert.deepEqual(table.methodsOf('/b'), ['POST']);
    assert.deepEqual(table.methodsOf('/c'), []);
    assert.deepEqual([...table.paths], ['/a', '/b']);
  });
});
