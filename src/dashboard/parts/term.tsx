import { useId } from 'preact/hooks';
import { GLOSSARY, type Word } from '../glossary.ts';

/** A "?" beside a word of the page that says what it means, by pointer, finger and keyboard. The sign itself is no text of the page. */
export function Term({ word }: { readonly word: Word }) {
  const id = useId();
  return (
    <span class="term">
      <button type="button" popovertarget={id} aria-label={`What is ${word}?`} />
      <span id={id} popover="auto" role="note">
        <strong>{word}</strong> {GLOSSARY[word]}
      </span>
    </span>
  );
}

/** A word of the glossary with its "?". */
export function Explained({ word }: { readonly word: Word }) {
  return (
    <>
      {word} <Term word={word} />
    </>
  );
}
