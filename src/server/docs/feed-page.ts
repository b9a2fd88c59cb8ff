import { type Json, jsonOf, listOf, nameOfRef, textOf } from './json.ts';
import { blockMarkup, escaped, inlineMarkup } from './markup.ts';
import { framed, type PageFacts } from './page-frame.ts';
import { schemasMarkup } from './schema-markup.ts';

const TITLES: Readonly<Record<string, string>> = { receive: 'You send', send: 'The service sends' };

/** The page of the AsyncAPI document. */
export function feedPage(document: Json, facts: PageFacts): string {
  const components = jsonOf(document.components);
  const schemas = jsonOf(components.schemas);
  const channels = Object.entries(jsonOf(document.channels)).map(
    ([, channel]) =>
      `<p><code class="path">${escaped(textOf(jsonOf(channel).address))}</code> ${inlineMarkup(textOf(jsonOf(channel).description))}</p>`,
  );
  const operations = Object.entries(jsonOf(document.operations)).map(([name, operation]) =>
    operationMarkup(name, jsonOf(operation), jsonOf(components.messages)),
  );
  return framed(
    {
      title: 'tallywire feed',
      toRoot: '../',
      current: 'feed',
      document: 'asyncapi',
      contents: [
        { id: 'listen', title: 'Listen' },
        { id: 'messages', title: 'Messages' },
        { id: 'schemas', title: 'Schemas' },
      ],
      body: `${channels.join('\n')}
${blockMarkup(textOf(jsonOf(document.info).description))}
${listenMarkup(jsonOf(schemas.subscribe))}
<section aria-labelledby="messages">
<h2 id="messages">Messages</h2>
${operations.join('\n')}
</section>
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemasMarkup(schemas)}
</section>`,
    },
    facts,
  );
}

function operationMarkup(name: string, operation: Json, messages: Json): string {
  const replies = listOf(jsonOf(operation.reply).messages);
  const answered =
    replies.length === 0 ? '' : `\n<p class="label">Answered by</p>\n${messagesMarkup(replies, messages)}`;
  return `<h3>${escaped(name)}</h3>
<p class="label">${escaped(TITLES[textOf(operation.action)] ?? textOf(operation.action))}</p>
${messagesMarkup(listOf(operation.messages), messages)}${answered}`;
}

function messagesMarkup(refs: readonly unknown[], messages: Json): string {
  const rows = refs.map((ref) => {
    const message = jsonOf(messages[nameOfRef(jsonOf(ref).$ref) ?? '']);
    const schema = nameOfRef(jsonOf(message.payload).$ref) ?? '';
    return `<dt><a href="#schema-${escaped(schema)}"><code class="name">${escaped(textOf(message.name))}</code></a></dt>
<dd>${inlineMarkup(textOf(message.summary))}</dd>`;
  });
  return `<dl class="fields">${rows.join('\n')}</dl>`;
}

/** Subscribes to a channel that the message of a subscription allows, and shows the frames. */
function listenMarkup(subscribe: Json): string {
  const item = jsonOf(jsonOf(jsonOf(subscribe.properties).channels).items);
  const channels = listOf(jsonOf(jsonOf(item.properties).channel).enum).map(String);
  const options = channels.map((name) => `<option>${escaped(name)}</option>`).join('');
  return `<section aria-labelledby="listen">
<h2 id="listen">Listen</h2>
<form class="listen" aria-label="Listen to the feed">
<p><label for="listen-channel">channel</label><select id="listen-channel" name="channel">${options}</select></p>
<p><label for="listen-account">account</label><input id="listen-account" name="account" list="accounts" autocomplete="off" aria-describedby="listen-hint"></p>
<p class="hint" id="listen-hint">Without an account, all of them.</p>
<p class="send"><button type="submit">Listen</button> <button type="button" data-stop disabled>Stop</button></p>
<output></output>
<ol class="frames" aria-label="Frames, the newest first"></ol>
</form>
</section>`;
}
