import { conditionText } from '../contract/alert-figures.ts';
import { topicOf } from '../contract/alert-rule.ts';
import type { AlertMessage } from '../contract/records/alert.ts';
import type { Post } from './post.ts';
import type { Alert, AlertRule } from './rule.ts';
import { signedHeaders } from './signature.ts';

/** What a delivery has to know beside the alert. */
interface Delivery {
  readonly rule: AlertRule;
  readonly alert: Alert;
  /** Path segment of the account. */
  readonly account: string;
  /** UTC ms. */
  readonly now: number;
}

/** Longer texts are refused by some receivers. */
const MOST_CHARS = 1_900;

/** The request that delivers an alert to the target of its rule. */
export function postOf(delivery: Delivery): Post {
  const { rule, alert, now } = delivery;
  const { type, url, secret, token, chat } = rule.target;
  const message = messageOf(delivery);
  switch (type) {
    case 'webhook': {
      const body = JSON.stringify(message);
      const signed = secret === null ? {} : signedHeaders(secret, alert.id, Math.floor(now / 1_000), body);
      return { url, headers: { ...JSON_HEADERS, ...signed }, body };
    }
    case 'ntfy':
      return {
        // The server takes JSON at its root, where a title may have any characters.
        url: new URL('.', url).href,
        headers: { ...JSON_HEADERS, ...(token !== null && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify({
          topic: decodeURIComponent(topicOf(url)),
          title: titleOf(rule),
          message: shortened(message.text),
          tags: ['bar_chart'],
        }),
      };
    case 'telegram':
      return chatPost(url, { chat_id: chat, text: textFor(rule, message), disable_web_page_preview: true });
    case 'discord':
      return chatPost(url, { content: textFor(rule, message), allowed_mentions: { parse: [] } });
  }
}

const JSON_HEADERS = { 'Content-Type': 'application/json', 'User-Agent': 'tallywire' };

function chatPost(url: string, body: object): Post {
  return { url, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

function messageOf({ rule, alert, account }: Delivery): AlertMessage {
  const { id, n, seq, at, event, eventTitle, bucket, value } = alert;
  const { figure } = rule.when;
  const when = conditionText(rule.when);
  const about = [account, eventTitle, bucket].filter((part) => part !== null).join(', ');
  return {
    id,
    rule: rule.id,
    name: rule.name,
    n,
    seq,
    ts: at,
    account,
    event_id: event,
    event_title: eventTitle,
    bucket,
    when,
    figure,
    value,
    text: `${about}: ${figure} is ${value} (${when})`,
  };
}

function titleOf({ name, when }: AlertRule): string {
  return name ?? conditionText(when);
}

function textFor(rule: AlertRule, { text, id }: AlertMessage): string {
  return `${shortened(`${titleOf(rule)}\n${text}`)}\n${id}`;
}

function shortened(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`;
}
