import assert from 'node:assert/strict';
import fc from 'fast-check';
import { blockMarkup, escaped, inlineMarkup } from '../../../src/server/docs/markup.ts';

describe('text of a document on its page', () => {
  it('marks code and bold words, and nothing else', () => {
    assert.equal(
      inlineMarkup('**Tiers.** `a < b` & "c"'),
      '<strong>Tiers.</strong> <code>a &lt; b</code> &amp; &quot;c&quot;',
    );
  });

  it('makes paragraphs, and lists of lines with a dash', () => {
    assert.equal(blockMarkup('one\ntwo\n\n- a\n- b'), '<p>one two</p>\n<ul><li>a</li><li>b</li></ul>');
  });

  it('never lets a text open an element or end an attribute', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.doesNotMatch(escaped(text), /[<>"]/);
        assert.doesNotMatch(inlineMarkup(text).replace(/<\/?(code|strong)>/g, ''), /[<>"]/);
      }),
    );
  });
});
