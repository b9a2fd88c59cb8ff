import assert from 'node:assert/strict';
import { draggedOver, zoomedIn } from '../../../src/dashboard/charts/zoom.ts';

describe('the zoom of a chart', () => {
  it('halves a span around a place, and stays within the whole', () => {
    assert.deepEqual(zoomedIn([0, 1_000], [0, 1_000]), [250, 750]);
    assert.deepEqual(zoomedIn([0, 1_000], [0, 1_000], 900), [500, 1_000]);
    assert.deepEqual(zoomedIn([0, 1_000], [0, 1_000], -50), [0, 500]);
  });

  it('ends at a minute, and shows the whole of what is shorter', () => {
    assert.deepEqual(zoomedIn([0, 80], [0, 1_000], 40), [10, 70]);
    assert.deepEqual(zoomedIn([0, 50], [0, 50]), [0, 50]);
  });

  it('takes a short drag for none', () => {
    assert.equal(draggedOver(10, 20), undefined);
    assert.deepEqual(draggedOver(10, 200), [10, 200]);
  });
});
