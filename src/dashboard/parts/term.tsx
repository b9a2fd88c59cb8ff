import { GLOSSARY, type Word } from '../glossary.ts';

/** A "?" beside a word of the page that says what it means, by pointer, finger and keyboard. */
export function Term({ word }: { readonly word: Word }) {
  const id = `term-${word.replaceAll(' ', '-')}`;
  return (
    <span class="term">
      <button type="button" popovertarget={id} aria-label={`What is ${word}?`}>
        ?
      </button>
      <span id={id} popover="auto" role="note">
        <strong>{word}</strong> {GLOSSARY[word]}
      </span>
    </span>
  );
}
